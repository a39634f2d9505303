/** A node of a workflow, as people find it there: `5 "Upscale" (ImageScale)`. */
export function nodeName(id: string, { className, title }: { className?: string | null; title?: string | null } = {}): string {
	const quoted = title && title !== className ? ` "${title}"` : '';
	return `${id}${quoted}${className ? ` (${className})` : ''}`;
}
