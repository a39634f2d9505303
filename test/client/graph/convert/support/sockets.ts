type Json = Record<string, unknown>;

/**
 * Links as an editor's file holds them, numbered in this order.
 * @param text `'1>2 1.1>3.2'`: from slot 0 of node 1 to slot 0 of node 2, then from slot 1 of node 1 to slot 2 of node 3.
 */
export const linked = (text: string, type = 'IMAGE', first = 1): Array<[number, number, number, number, number, string]> =>
	text.split(' ').map((one, at) => {
		const [from = [], to = []] = one.split('>').map((end) => end.split('.').map(Number));
		return [first + at, from[0] ?? 0, from[1] ?? 0, to[0] ?? 0, to[1] ?? 0, type];
	});

/** An output socket. */
export const out = (type: string, ...links: unknown[]): Json => ({ name: type, type, links });

/** An input socket, of a widget where one is named. */
export const into = (name: string, type: string, link: number | null, widget?: string): Json => ({
	...{ name, type, link },
	...(widget !== undefined && { widget: { name: widget } }),
});
