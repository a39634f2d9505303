/** The fields of a form by name, as they came; of one that came more than once all. A file's bytes are left out. */
export function formValues(body: string, contentType: string): Record<string, string | string[]> {
	const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1] ?? '';
	const values: Record<string, string | string[]> = {};
	for (const part of body.split(`--${boundary}`).slice(1, -1)) {
		const [head = '', ...rest] = part.split('\r\n\r\n');
		const name = /; name="([^"]*)"/.exec(head)?.[1] ?? '';
		const value = head.includes('; filename=') ? '' : rest.join('\r\n\r\n').replace(/\r\n$/, '');
		values[name] = Object.hasOwn(values, name) ? [values[name] ?? [], value].flat() : value;
	}
	return values;
}
