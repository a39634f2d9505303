export interface RequestHead {
	method: string;
	/** With its query. */
	path: string;
	/** Names in lower case. */
	headers: Record<string, string>;
}

/** @returns undefined for what is no HTTP/1.1. */
export function readRequestHead(bytes: Buffer): RequestHead | undefined {
	const [line = '', ...fields] = bytes.toString('latin1').trimEnd().split('\r\n');
	const [, method, path] = /^([A-Z]+) (\S+) HTTP\/1\.1$/.exec(line) ?? [];
	if (method === undefined || path === undefined) return undefined;
	const headers = fields.map((field): [string, string] => {
		const colon = field.indexOf(':');
		return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
	});
	return { method, path, headers: Object.fromEntries(headers) };
}
