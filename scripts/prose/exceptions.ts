/** Texts that the prose check accepts although a rule rejects them. Each has a reason. */
export interface Exception {
	/** Path, or the beginning of a path, from the root of the project. */
	file: string;
	/** A part of the text that the rule reports. */
	text: string | RegExp;
	reason: string;
}

export const EXCEPTIONS: Exception[] = [
	{ file: 'nodes/', text: /\be\.g\. /, reason: 'n8n begins a placeholder with "e.g.".' },
	{ file: 'credentials/', text: /\be\.g\. /, reason: 'n8n begins a placeholder with "e.g.".' },
];
