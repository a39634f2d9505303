/** `details.node_errors` in its two shapes. */
import type { GraphProblem } from '../../graphEngine/types';

/** The hosted service: node id → list of entries with `field` and `reason`. */
export function listedNodeErrors(entries: Array<{ nodeId: string; field: string; reason: string }>): Record<string, Array<{ field: string; reason: string }>> {
	const errors: Record<string, Array<{ field: string; reason: string }>> = {};
	for (const { nodeId, field, reason } of entries) (errors[nodeId] ??= []).push({ field, reason });
	return errors;
}

/** The engine, whose refusal the self-hosted proxy passes on. */
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
