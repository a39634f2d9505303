/** The same headers but this one. */
export const without = (headers: Record<string, string>, name: string): Record<string, string> =>
	Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name));
