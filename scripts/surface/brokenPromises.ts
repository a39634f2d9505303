const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** What has gone or changed, one line each. Names and values may come: of an object new fields, of a list new entries. */
export function brokenPromises(promised: unknown, now: unknown, path = ''): string[] {
	if (isObject(promised) && isObject(now))
		return Object.entries(promised).flatMap(([name, value]) => brokenPromises(value, now[name], path === '' ? name : `${path} > ${name}`));
	if (Array.isArray(promised) && Array.isArray(now)) {
		const kept = new Set(now.map(shown));
		return promised.filter((one) => !kept.has(shown(one))).map((one) => `${path}: ${shown(one)} has gone`);
	}
	return shown(promised) === shown(now) ? [] : [`${path}: was ${shown(promised)}, is ${shown(now)}`];
}
