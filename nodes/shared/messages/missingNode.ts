import { type ApiError, isRecord } from '../../../client';

/** How engines, old and new, and the proxy in front of them say it. */
const SAYINGS = [/node (.+) does not exist/i, /node '(.+)' not found/i];

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const named = (message: unknown): string | undefined => SAYINGS.map((saying) => saying.exec(String(message))?.[1]).find((name) => name !== undefined);

interface MissingNode {
	className: string;
	nodeId: string | undefined;
}

function inNodeErrors(errors: unknown): MissingNode | undefined {
	if (!isRecord(errors)) return undefined;
	for (const [nodeId, node] of Object.entries(errors)) {
		const entries: unknown[] = isRecord(node) && Array.isArray(node.errors) ? node.errors : [];
		const missing = entries.filter(isRecord).find(({ type }) => type === 'missing_node_type');
		const className = missing && (textOf(isRecord(node) ? node.class_type : undefined) ?? named(missing.message));
		if (className !== undefined) return { className, nodeId };
	}
	return undefined;
}

/** The node class that a server does not have, if that is why it refused. */
export function missingNode({ message, details }: ApiError): MissingNode | undefined {
	const facts = isRecord(details) ? details : {};
	const extra = isRecord(facts.extra_info) ? facts.extra_info : {};
	const className = textOf(extra.class_type) ?? named(message);
	if (className === undefined) return inNodeErrors(facts.node_errors);
	return { className, nodeId: textOf(extra.node_id) ?? /#([^'"\s]+)/.exec(String(facts.details))?.[1] };
}
