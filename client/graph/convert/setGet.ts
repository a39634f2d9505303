import type { EditorGraph, EditorNode } from './model';
import { isGetter, isSetter } from './virtual';

/** The path of the subgraphs that a node of a flat graph is in: `12:3:` for `12:3:7`. */
const pathOf = (id: string): string => id.slice(0, id.lastIndexOf(':') + 1);

const nameOf = ({ values }: EditorNode): string | undefined => {
	const name: unknown = Array.isArray(values) ? values[0] : values === undefined ? undefined : Object.values(values)[0];
	return typeof name === 'string' && name !== '' ? name : undefined;
};

/** Setters by the subgraph that they are in and the name that they give. */
export class Setters {
	private readonly byPlace = new Map<string, EditorNode[]>();

	constructor({ nodes }: EditorGraph) {
		for (const node of nodes.values()) {
			const name = isSetter(node.className) ? nameOf(node) : undefined;
			if (name === undefined) continue;
			const place = `${pathOf(node.id)}\n${name}`;
			const known = this.byPlace.get(place);
			if (known === undefined) this.byPlace.set(place, [node]);
			else known.push(node);
		}
	}

	/** The setter that a getter means: the first of its own graph, else the only one outside. */
	of(getter: EditorNode): EditorNode | undefined {
		const name = isGetter(getter.className) ? nameOf(getter) : undefined;
		if (name === undefined) return undefined;
		const at = (path: string): EditorNode[] => this.byPlace.get(`${path}\n${name}`) ?? [];
		const own = pathOf(getter.id);
		const [first] = at(own);
		if (first !== undefined) return first;
		const outside: EditorNode[] = [];
		for (let path = own; path !== '';) {
			path = pathOf(path.slice(0, -1));
			outside.push(...at(path));
		}
		return outside.length === 1 ? outside[0] : undefined;
	}
}
