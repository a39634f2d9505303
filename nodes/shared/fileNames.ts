import { extension } from './contentTypes';

/** Control characters, path separators, and what Windows does not allow in a name. */
const UNSAFE = /[\p{Cc}<>:"/\\|?*]/gu;

const LONGEST = 200;

/** The last part of a name from elsewhere, safe to save under: no folders, no control characters, never empty. */
export function safeFileName(name: string, fallback: string, contentType?: string): string {
	const last = name.split(/[/\\]/).pop() ?? '';
	const cleaned = last.replace(UNSAFE, '_').replace(/^\.+/, '').trim().slice(-LONGEST);
	const base = cleaned === '' ? fallback : cleaned;
	const known = contentType === undefined ? undefined : extension(contentType);
	return known !== undefined && !base.includes('.') ? `${base}.${known}` : base;
}
