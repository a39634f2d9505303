/** The same place, under another name of this machine. */
export function by(host: string, url: string): string {
	const { protocol, port, pathname } = new URL(url);
	return `${protocol}//${host}:${port}${pathname.replace(/\/$/, '')}`;
}
