import type { ApiGraph } from '../job';
import { isRecord, textOr } from '../decode';

/** The title of a node as its author gave it, in the format that is executed or in the editor's own. */
export function nodeTitle(workflow: ApiGraph | Record<string, unknown>, nodeId: string): string | undefined {
	const node = workflow[nodeId];
	if (isRecord(node)) return isRecord(node._meta) ? textOr(node._meta.title, undefined) : undefined;
	const nodes: unknown[] = Array.isArray(workflow.nodes) ? workflow.nodes : [];
	return textOr(nodes.filter(isRecord).find(({ id }) => String(id) === nodeId)?.title, undefined);
}
