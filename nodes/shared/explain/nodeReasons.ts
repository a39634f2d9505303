import { type ApiError, findNodeTitle, isRecord } from '../../../client';
import { limitLines, nodeName, shorten } from '../messages/words';

/** Reads the errors of single nodes from the rejection of a workflow. Services send them in several shapes. */

/** What is wrong with one input of one node. */
export interface NodeReason {
	/** `5 "Upscale" (KSampler)` */
	node: string;
	className: string | undefined;
	/** The engine's type of error. */
	type: string | undefined;
	input: string | undefined;
	/** The value of the input. */
	received: string | undefined;
	/** The values that the input accepts, if the service lists them. */
	choices: string[];
	/** The text of the service. */
	said: string;
}

const MOST_LINES = 20;
const LONGEST_LINE = 300;

/** Only this much is read, because patterns are slow on long texts. */
const LONGEST_TEXT = 10_000;

const boundedText = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value.slice(0, LONGEST_TEXT) : undefined;

/** Removes the list of all values that the input accepts, which may be very long. */
const removeChoices = (text: string): string => text.replace(/ not in (\[[^]*\]|\(list of length \d+\))/, ' is not one of its choices');

/** Reads `[["a", "b"], {…}]`, and `["COMBO", {options: ["a", "b"]}]` of newer nodes. */
function choicesOf(config: unknown): string[] {
	const [type, settings]: unknown[] = Array.isArray(config) ? config : [];
	const choices = Array.isArray(type) || !isRecord(settings) ? type : settings.options;
	return Array.isArray(choices) ? choices.filter((choice) => typeof choice === 'string') : [];
}

/** Returns a message with the sentence that an engine sends as `details`, unless it contains it already. */
export function withDetail(message: string, details: unknown): string {
	const detail = boundedText(details)?.trim();
	return detail === undefined || detail === '' || message.includes(detail) ? message : `${message} (${detail})`;
}

/** The hosted service sends `{field, reason}`, an engine `{type, message, details, extra_info: {input_name}}`. */
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
	const said = entry.details === input ? message : withDetail(message, entry.details);
	const received =
		boundedText(extra.received_value) ?? /(['"])((?:(?!\1).)+)\1 not in /.exec(said)?.[2] ?? /Invalid \w+ file: (.+?)\)?$/.exec(said)?.[1];
	return { type: boundedText(entry.type), input, received, choices: choicesOf(extra.input_config), said: removeChoices(said) };
}

function entriesOf(node: unknown): { className?: string; entries: unknown[] } {
	if (Array.isArray(node)) return { entries: node };
	if (isRecord(node) && Array.isArray(node.errors)) return { className: boundedText(node.class_type), entries: node.errors };
	return { entries: [node] };
}

/** Returns the reasons, or an empty list if the details do not contain any about nodes. */
export function nodeReasons({ details, graph = {} }: Pick<ApiError, 'details' | 'graph'>): NodeReason[] {
	if (!isRecord(details)) return [];
	const named = isRecord(details.node_errors) ? details.node_errors : undefined;
	return Object.entries(named ?? details).flatMap(([id, node]) => {
		if (!Array.isArray(node) && !isRecord(node)) return [];
		// A list of texts under another name is about something else, for example `missing_ids`.
		if (named === undefined && Array.isArray(node) && !node.some(isRecord)) return [];
		const { className = graph[id]?.class_type, entries } = entriesOf(node);
		const name = nodeName(id, { className, title: findNodeTitle(graph, id) });
		return entries.map((entry) => ({ node: name, className, ...reasonOf(entry) }));
	});
}

/** Returns for example `node 5 (KSampler) steps: value is below 1`. */
export const reasonLine = ({ node, input, said }: NodeReason): string =>
	shorten(`node ${node} ${input === undefined ? '' : `${input}: `}${said}`, LONGEST_LINE);

/** Returns one line for each reason. */
export function reasonLines(error: ApiError): string[] {
	return limitLines(
		nodeReasons(error).map((reason) => reasonLine(reason).replace(/^n/, 'N')),
		MOST_LINES,
	);
}
