import { isRecord } from '../../../client';

/** Reads the per-node part of a refusal, in every shape met, into one line for each reason. */

const textOf = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value : undefined;

/** Hosted entries are `{field, reason}`; the engine's are `{type, message, details, extra_info: {input_name}}`. */
function reasonLine(entry: unknown): string {
	if (!isRecord(entry)) return typeof entry === 'string' ? entry : JSON.stringify(entry);
	const extra = isRecord(entry.extra_info) ? entry.extra_info : {};
	const field = textOf(entry.field) ?? textOf(extra.input_name);
	const message = textOf(entry.reason) ?? textOf(entry.message) ?? textOf(entry.type) ?? JSON.stringify(entry);
	const detail = textOf(entry.details);
	const reason = detail === undefined || detail === field || message.includes(detail) ? message : `${message} (${detail})`;
	return field === undefined ? reason : `${field}: ${reason}`;
}

function entriesOf(node: unknown): { className?: string; entries: unknown[] } {
	if (Array.isArray(node)) return { entries: node };
	if (isRecord(node) && Array.isArray(node.errors)) return { className: textOf(node.class_type), entries: node.errors };
	return { entries: [node] };
}

/** Lines such as `Node 5 (KSampler) steps: value is below 1`; none when the details say nothing of nodes. */
export function nodeReasons(details: unknown): string[] {
	if (!isRecord(details)) return [];
	const named = isRecord(details.node_errors) ? details.node_errors : undefined;
	return Object.entries(named ?? details).flatMap(([id, node]) => {
		if (!Array.isArray(node) && !isRecord(node)) return [];
		// Plain words under another heading are of something else, such as `missing_ids`.
		if (named === undefined && Array.isArray(node) && !node.some(isRecord)) return [];
		const { className, entries } = entriesOf(node);
		const name = className === undefined ? `Node ${id}` : `Node ${id} (${className})`;
		return entries.map((entry) => `${name} ${reasonLine(entry)}`);
	});
}
