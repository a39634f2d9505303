const isOfNode = (name: string): boolean => /^\d/.test(name);

/** Every field of an item as a path: entries of lists, and what is named by a node's id, by a sign. */
export function fieldsOf(value: unknown, path = ''): string[] {
	if (Array.isArray(value)) return [...new Set(value.flatMap((one) => fieldsOf(one, `${path}[]`)))];
	if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return [path];
	const fields = Object.entries(value).flatMap(([name, one]) => {
		const step = isOfNode(name) ? '*' : name;
		return fieldsOf(one, path === '' ? step : `${path}.${step}`);
	});
	return [...new Set(fields)];
}
