import type { GraphProblem } from '../graphEngine/types';

/** `node_errors` as the engine writes them. */
export function engineNodeErrors(problem: GraphProblem, workflow: unknown): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(problem.nodes).map(([nodeId, found]) => [
			nodeId,
			{
				errors: found.map(({ type, field, reason }) => ({ type, message: reason, details: field, extra_info: { input_name: field } })),
				dependent_outputs: dependents(nodeId, workflow),
				class_type: found[0]?.class_type ?? '',
			},
		]),
	);
}

/** The nodes at the ends of all paths that start at this node. */
function dependents(nodeId: string, workflow: unknown): string[] {
	const readers = readersByNode(workflow);
	const ends = new Set<string>();
	const seen = new Set<string>();
	const pending = [nodeId];
	for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
		if (seen.has(current)) continue;
		seen.add(current);
		const next = readers.get(current) ?? [];
		if (next.length === 0) ends.add(current);
		pending.push(...next);
	}
	return [...ends].sort();
}

function readersByNode(workflow: unknown): Map<string, string[]> {
	const readers = new Map<string, string[]>();
	if (typeof workflow !== 'object' || workflow === null) return readers;
	for (const [readerId, node] of Object.entries(workflow) as Array<[string, unknown]>) {
		if (typeof node !== 'object' || node === null || !('inputs' in node)) continue;
		for (const value of Object.values(node.inputs ?? {}) as unknown[]) {
			if (!Array.isArray(value) || typeof value[0] !== 'string') continue;
			readers.set(value[0], [...(readers.get(value[0]) ?? []), readerId]);
		}
	}
	return readers;
}
