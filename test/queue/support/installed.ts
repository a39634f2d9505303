const VARIABLE = 'COMFY_QUEUE_INSTALLED';

/** Hands the folder in which the packed package is installed to all suites. */
export function shareInstalled(folder: string): void {
	process.env[VARIABLE] = folder;
}

export function installedIn(): string {
	const folder = process.env[VARIABLE];
	if (!folder) throw new Error('Nothing is installed: start these suites with `npm run test:queue`.');
	return folder;
}
