import { type ApiError, type ApiGraph, isRecord, nodeTitle } from '../../../client';

/** How older engines say it, and the proxy in front of them: by the class. */
const BY_CLASS = /node (.+) does not exist/i;
/** How newer ones say it: by the title, or by the class of a node without one. */
const BY_TITLE = /node '(.+)' not found/i;

/** No name is longer; patterns are slow on long texts. */
const LONGEST_SAYING = 2_000;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Nodes of classes that a server does not have. Where it named a title that several share, one of these. */
export interface MissingNodes {
	nodes: Array<{ className: string; nodeId?: string }>;
	/** What they share. */
	title?: string;
}

const single = (className: string, nodeId: string | undefined): MissingNodes => ({ nodes: [{ className, nodeId }] });

function inNodeErrors(errors: unknown, graph: ApiGraph): MissingNodes | undefined {
	if (!isRecord(errors)) return undefined;
	for (const [nodeId, node] of Object.entries(errors)) {
		const entries: unknown[] = isRecord(node) && Array.isArray(node.errors) ? node.errors : [];
		const missing = entries.filter(isRecord).find(({ type }) => type === 'missing_node_type');
		const className = missing && (textOf(isRecord(node) ? node.class_type : undefined) ?? graph[nodeId]?.class_type ?? BY_CLASS.exec(String(missing.message).slice(0, LONGEST_SAYING))?.[1]);
		if (className !== undefined) return single(className, nodeId);
	}
	return undefined;
}

const namesNode = (graph: ApiGraph, nodeId: string, name: string): boolean => (nodeTitle(graph, nodeId) ?? graph[nodeId]?.class_type) === name;

function titled(title: string, graph: ApiGraph): MissingNodes {
	const ids = Object.keys(graph).filter((id) => namesNode(graph, id, title));
	if (ids.length === 0) return single(title, undefined);
	return { nodes: ids.map((nodeId) => ({ className: (graph[nodeId] as ApiGraph[string]).class_type, nodeId })), title };
}

/** The node class that a server does not have, if that is why it refused. */
export function missingNodes({ message: whole, details, graph = {} }: ApiError): MissingNodes | undefined {
	const message = whole.slice(0, LONGEST_SAYING);
	const facts = isRecord(details) ? details : {};
	const extra = isRecord(facts.extra_info) ? facts.extra_info : {};
	const nodeId = textOf(extra.node_id) ?? /#([^'"\s]+)/.exec(String(facts.details))?.[1];
	const title = BY_TITLE.exec(message)?.[1];
	const known = textOf(extra.class_type) ?? BY_CLASS.exec(message)?.[1] ?? (title === undefined ? undefined : graph[nodeId ?? '']?.class_type);
	if (known !== undefined) return single(known, nodeId);
	return title === undefined ? inNodeErrors(facts.node_errors, graph) : titled(title, graph);
}
