import type { ApiGraph } from '../../job';
import { titleOf } from './literals';

const LONGEST_TITLE = 80;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
const shown = (title: string): string => (title.length > LONGEST_TITLE ? `${title.slice(0, LONGEST_TITLE).trimEnd()}…` : title);

/** @returns a node's title as lists show it: `Positive`, or `Positive (#6)` where several nodes have that title. */
export function titlesIn(graph: ApiGraph): (nodeId: string) => string {
	const titles = new Map(Object.entries(graph).map(([id, node]) => [id, shown(oneLine(titleOf(node)))]));
	const counts = new Map<string, number>();
	for (const title of titles.values()) counts.set(title, (counts.get(title) ?? 0) + 1);
	return (nodeId) => {
		const title = titles.get(nodeId) ?? '';
		return (counts.get(title) ?? 0) > 1 ? `${title} (#${nodeId})` : title;
	};
}
