/** How Jest's global set-up hands the one running n8n to the suites, which share nothing with it but the environment. */
export interface HostState {
	url: string;
	session: string;
	/** Holds n8n's user folder and the tarball; removed at the end. */
	folder: string;
}

const VARIABLE = 'COMFY_E2E_HOST';

export function shareHostState(state: HostState): void {
	process.env[VARIABLE] = JSON.stringify(state);
}

export function sharedHostState(): HostState {
	const text = process.env[VARIABLE];
	if (!text) throw new Error('No n8n is running: start these suites with `npm run test:e2e`.');
	return JSON.parse(text) as HostState;
}
