import type { ApiGraph } from '../../job';
import { linkOf } from '../form/literals';

interface Step {
	nodeId: string;
	/** The nodes that it needs and that are not looked at yet. */
	left: string[];
}

/** A hostile file can have thousands of long ones. */
const MOST_CIRCLES = 10;

/** @returns the ids of the nodes of each circle of links, in the order of the links. Each node is looked at once. */
export function findCircles(graph: ApiGraph): string[][] {
	const stepOf = (nodeId: string): Step => ({
		nodeId,
		left: Object.values(graph[nodeId]?.inputs ?? {}).flatMap((value) => linkOf(value)?.nodeId ?? []),
	});
	const circles: string[][] = [];
	const done = new Set<string>();
	for (const start of Object.keys(graph)) {
		if (circles.length >= MOST_CIRCLES) break;
		const path = done.has(start) ? [] : [stepOf(start)];
		const open = new Set(path.map(({ nodeId }) => nodeId));
		for (let step = path.at(-1); step !== undefined && circles.length < MOST_CIRCLES; step = path.at(-1)) {
			const next = step.left.pop();
			if (next === undefined) {
				path.pop();
				open.delete(step.nodeId);
				done.add(step.nodeId);
			} else if (open.has(next)) {
				const ids = path.map(({ nodeId }) => nodeId);
				circles.push(ids.slice(ids.indexOf(next)));
			} else if (!done.has(next) && Object.hasOwn(graph, next)) {
				path.push(stepOf(next));
				open.add(next);
			}
		}
	}
	return circles;
}
