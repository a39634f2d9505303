import { type ApiError, findNodeTitle, isRecord } from '../../../client';
import { shortened, nodeName } from './words';

/** Reads the per-node part of a refusal, in every shape met. */

/** What is wrong with one input of one node. */
export interface NodeReason {
	/** `5 "Upscale" (KSampler)` */
	node: string;
	className: string | undefined;
	/** The engine's own word for the kind. */
	type: string | undefined;
	input: string | undefined;
	/** What stands there. */
	received: string | undefined;
	/** The values that the input takes, where there are few. */
	choices: string[];
	/** In the service's words. */
	said: string;
}

const MOST_LINES = 20;
const LONGEST_LINE = 300;

/** More is not read: patterns are slow on long texts. */
const LONGEST_TEXT = 10_000;

const boundedText = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value.slice(0, LONGEST_TEXT) : undefined;

/** An engine repeats all values that an input takes: some have hundreds. */
const withoutChoices = (text: string): string => text.replace(/ not in (\[[^]*\]|\(list of length \d+\))/, ' is none of its choices');

/** `[["a", "b"], {…}]`, and of newer nodes `["COMBO", {options: ["a", "b"]}]`. */
function choicesOf(config: unknown): string[] {
	const [kind, more]: unknown[] = Array.isArray(config) ? config : [];
	const choices = Array.isArray(kind) ? kind : isRecord(more) && Array.isArray(more.options) ? more.options : [];
	return choices.filter((choice) => typeof choice === 'string');
}

/** Hosted entries are `{field, reason}`; the engine's are `{type, message, details, extra_info: {input_name}}`. */
function reasonOf(entry: unknown): Pick<NodeReason, 'type' | 'input' | 'received' | 'choices' | 'said'> {
	if (!isRecord(entry))
		return {
			type: undefined,
			input: undefined,
			received: undefined,
			choices: [],
			said: typeof entry === 'string' ? entry : JSON.stringify(entry),
		};
	const extra = isRecord(entry.extra_info) ? entry.extra_info : {};
	const input = boundedText(entry.field) ?? boundedText(extra.input_name);
	const message =
		boundedText(entry.reason) ?? boundedText(entry.message) ?? boundedText(entry.type) ?? JSON.stringify(entry).slice(0, LONGEST_TEXT);
	const detail = boundedText(entry.details);
	const said = detail === undefined || detail === input || message.includes(detail) ? message : `${message} (${detail})`;
	const received =
		boundedText(extra.received_value) ?? /(['"])((?:(?!\1).)+)\1 not in /.exec(said)?.[2] ?? /Invalid \w+ file: (.+?)\)?$/.exec(said)?.[1];
	return { type: boundedText(entry.type), input, received, choices: choicesOf(extra.input_config), said: withoutChoices(said) };
}

function entriesOf(node: unknown): { className?: string; entries: unknown[] } {
	if (Array.isArray(node)) return { entries: node };
	if (isRecord(node) && Array.isArray(node.errors)) return { className: boundedText(node.class_type), entries: node.errors };
	return { entries: [node] };
}

/** None when the details say nothing of nodes. */
export function nodeReasons({ details, graph = {} }: Pick<ApiError, 'details' | 'graph'>): NodeReason[] {
	if (!isRecord(details)) return [];
	const named = isRecord(details.node_errors) ? details.node_errors : undefined;
	return Object.entries(named ?? details).flatMap(([id, node]) => {
		if (!Array.isArray(node) && !isRecord(node)) return [];
		// Plain words under another heading are of something else, such as `missing_ids`.
		if (named === undefined && Array.isArray(node) && !node.some(isRecord)) return [];
		const { className = graph[id]?.class_type, entries } = entriesOf(node);
		const name = nodeName(id, { className, title: findNodeTitle(graph, id) });
		return entries.map((entry) => ({ node: name, className, ...reasonOf(entry) }));
	});
}

/** Such as `node 5 (KSampler) steps: value is below 1`. */
export const reasonLine = ({ node, input, said }: NodeReason): string =>
	shortened(`node ${node} ${input === undefined ? '' : `${input}: `}${said}`, LONGEST_LINE);

/** One line for each reason. */
export function reasonLines(error: ApiError): string[] {
	const reasons = nodeReasons(error);
	const lines = reasons.slice(0, MOST_LINES).map((reason) => reasonLine(reason).replace(/^n/, 'N'));
	return reasons.length > MOST_LINES ? [...lines, `And ${reasons.length - MOST_LINES} more`] : lines;
}
