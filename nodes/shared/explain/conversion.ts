import {
	type ConversionNote,
	type ConversionPlace,
	type ConversionRefusal,
	exactText,
	groupMissingClasses,
	type MissingClass,
} from '../../../client';
import { messages } from '../messages/catalogue';
import { CHECK_LISTS_ALL, EXPORT_FILE } from '../messages/topics/workflow';
import { byKind, count, inOneText, joinNames, limitLines, NOTHING_SENT, nodeName, shorten, type Words } from '../messages/words';
import { missingClassWords } from './missingClasses';

const MOST_LINES = 50;
const MOST_IDS = 8;
const MOST_VALUES = 30;
const LONGEST_VALUE = 80;
const LONGEST_NAME = 120;
const LONGEST_DETAIL = 200;

const shortenName = (text: string): string => shorten(text, LONGEST_NAME);
const shortDetail = (text: string): string => shorten(text, LONGEST_DETAIL);
export const shortValue = (value: unknown): string => shorten(exactText(value), LONGEST_VALUE);

const placeName = ({ nodeId, title, className }: ConversionPlace): string =>
	nodeName(nodeId, { className: shortenName(className), title: shortenName(title) });

/** Returns `node 5 "Upscale" (ImageScale)`, or `nodes 5, 7, 9 (ImageScale)` for several nodes of one class. */
function placesName(places: ConversionPlace[]): string {
	const [first, ...more] = [...new Map(places.map((place) => [place.nodeId, place])).values()];
	if (first === undefined) return 'a node';
	if (more.length === 0) return `node ${placeName(first)}`;
	const ids = [first, ...more].map(({ nodeId }) => nodeId);
	return `nodes ${nodeName(joinNames(ids, MOST_IDS), { className: shortenName(first.className) })}`;
}

function groupBy<T>(values: T[], keyOf: (value: T) => string): T[][] {
	const groups = new Map<string, T[]>();
	for (const value of values) {
		const key = keyOf(value);
		const group = groups.get(key);
		if (group === undefined) groups.set(key, [value]);
		else group.push(value);
	}
	return [...groups.values()];
}

export const capital = (text: string): string => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());

const inputOf = ({ input = 'value' }: { input?: string }): string => shortenName(input);

/** Returns `node 5 "Upscale" (ImageScale), width`. */
export const inputName = (place: ConversionPlace): string => `${placesName([place])}, ${inputOf(place)}`;

/** What a value should be. */
export const EXPECTED_VALUE = {
	integer: 'a whole number',
	number: 'a number',
	text: 'a text',
	boolean: 'true or false',
	choice: 'one of its choices',
};

const valueOf = (note: ConversionNote): string => `${inputOf(note)} is ${shortValue(note.value)}`;

const describeNote = byKind<ConversionNote, 'note', string>('note', {
	value_does_not_fit: (note) => `${valueOf(note)}, but ComfyUI expects ${EXPECTED_VALUE[note.expected]}`,
	value_by_name: (note) =>
		`${valueOf(note)}. This value was found by its name, because the value at its position, ${shortValue(note.instead)}, is not valid`,
	link_dropped: (note) =>
		`the link to ${inputOf(note)} is not converted, because this ComfyUI does not have the selected option of ${shortenName(note.choice)}`,
	link_contested: (note) =>
		`the file contradicts itself about the link to ${inputOf(note)}. ${note.value === null ? 'No link is used' : `The link from node ${shortenName(note.value[0])} is used`}`,
	link_by_extension: (note) =>
		`the link to ${inputOf(note)} is from the extension Use Everywhere, which may have another link since the file was saved`,
	random_seed: (note) =>
		`${valueOf(note)}, which stands for a random seed. Comfy Run Workflow and Comfy Submit Workflow send a random number in its place`,
	node_replaced: ({ value, lost }) =>
		`this ComfyUI no longer has this node. ${shortenName(value)}, which replaces it, runs instead${lost.length === 0 ? '' : `, without ${joinNames(lost.map(shortenName), MOST_VALUES)}`}`,
	input_node_added: ({ value }) =>
		`the blueprint has no node for its input ${shortenName(value)}, so this node was added. It needs a file, for example from a row of Files`,
	output_node_added: ({ value }) => `the blueprint has no node for its output ${shortenName(value)}, so this node was added`,
	widget_guessed: (note) => `${valueOf(note)}, but ComfyUI’s editor may send another value`,
});

const isWrong = ({ note }: ConversionNote): boolean => note === 'value_does_not_fit';

const ABOUT_NODES: ReadonlySet<ConversionNote['note']> = new Set(['node_replaced', 'input_node_added', 'output_node_added']);

/** Wrong values come first. */
function nodeText(notes: ConversionNote[]): string {
	const sorted = [...notes.filter(isWrong), ...notes.filter((note) => !isWrong(note))];
	const what = notes.some(({ note }) => ABOUT_NODES.has(note)) ? 'this node' : notes.length > 1 ? 'these values' : 'this value';
	return `${joinNames(sorted.map(describeNote), MOST_VALUES, '; ')}. Check ${what} in ComfyUI.`;
}

/** One line for each node; nodes of one class share a line if their notes say the same. */
export function noteLines(notes: ConversionNote[]): string[] {
	const nodes = groupBy(notes, ({ nodeId }) => nodeId).map((ofNode) => ({ places: ofNode.slice(0, 1), text: nodeText(ofNode) }));
	const same = groupBy(nodes, ({ places, text }) => JSON.stringify([places[0]?.className, text]));
	return limitLines(
		same.map((all) => `${capital(placesName(all.flatMap(({ places }) => places)))}: ${all[0]?.text}`),
		MOST_LINES,
	);
}

type UnknownClassRefusal = Extract<ConversionRefusal, { refusal: 'unknown_class' }>;
type OtherRefusal = Exclude<ConversionRefusal, UnknownClassRefusal>;

const isUnknownClass = (refusal: ConversionRefusal): refusal is UnknownClassRefusal => refusal.refusal === 'unknown_class';

/** One reason why a workflow cannot be converted. */
interface RefusalText {
	/** What is wrong, as half a sentence. */
	fact: string;
	/** What to do. */
	advice: string;
}

const exportInstead = (fact: string): RefusalText => ({ fact, advice: EXPORT_FILE });
const correct = (fact: string): RefusalText => ({ fact, advice: 'Open the workflow in ComfyUI, correct it and save it again.' });

/** @param refusals of one kind, which differ only in their nodes. */
function describeRefusals(refusals: OtherRefusal[]): RefusalText {
	const [first] = refusals as [OtherRefusal];
	const at = placesName(refusals.filter((refusal): refusal is Extract<OtherRefusal, ConversionPlace> => 'nodeId' in refusal));
	return byKind<OtherRefusal, 'refusal', RefusalText>('refusal', {
		unknown_widgets: ({ input }) =>
			exportInstead(
				input === undefined
					? `an extension of the editor shows the inputs of ${at}, so that the file does not show which value belongs to which input`
					: `the editor sets ${shortenName(input)} of ${at} when it runs the workflow, and the file does not contain the value`,
			),
		hidden_links: () => exportInstead(`an extension of the editor links ${at} to other nodes, and the file does not contain these links`),
		broken_link: ({ input }) =>
			correct(`${input === undefined ? 'a link' : `the link to ${shortenName(input)}`} of ${at} has no source or leads in a circle`),
		circular_links: ({ nodeIds }) =>
			correct(`nodes ${joinNames(nodeIds, MOST_IDS)} are linked in a circle, so that ComfyUI cannot run any of them first`),
		unknown_subgraph: () => correct(`the subgraph of ${at} is not in the file`),
		cyclic_subgraph: () => correct(`the subgraph of ${at} contains itself`),
		broken_file: ({ detail }) => correct(`the file is damaged: ${shortDetail(detail)}`),
		nothing_to_run: () => ({
			fact: 'it has no node to run: every node is muted, bypassed or a note',
			advice: 'Enable its nodes in ComfyUI, and save it again.',
		}),
		too_large: ({ detail }) => exportInstead(`it is too large for the conversion: ${shortDetail(detail)}`),
	})(first);
}

function keyOf(refusal: OtherRefusal): string {
	const { refusal: kind } = refusal;
	if ('nodeIds' in refusal) return JSON.stringify([kind, refusal.nodeIds]);
	if ('className' in refusal) return JSON.stringify([kind, [refusal.className, refusal.input]]);
	return JSON.stringify([kind, 'detail' in refusal ? refusal.detail : '']);
}

/** Separates missing classes from all other reasons why a workflow cannot be converted. */
function sortRefusals(refusals: ConversionRefusal[]): { missing: MissingClass[]; others: RefusalText[] } {
	const others = refusals.filter((refusal): refusal is OtherRefusal => !isUnknownClass(refusal));
	return { missing: groupMissingClasses(refusals.filter(isUnknownClass)), others: groupBy(others, keyOf).map(describeRefusals) };
}

/** How many other problems there are. */
const otherProblems = (problems: number): string =>
	problems === 0 ? '' : ` (and ${problems} more ${problems === 1 ? 'problem' : 'problems'}, see below)`;

/** @param known advice that stands elsewhere already. */
const linesOf = (texts: RefusalText[], known?: string): string[] =>
	limitLines(
		texts.map(({ fact, advice }) => `${capital(fact)}. ${advice === known ? '' : advice}`.trim()),
		MOST_LINES,
	);

/** Returns one line for each reason: what is wrong and what to do. */
export function refusalLines(refusals: ConversionRefusal[]): string[] {
	const { missing, others } = sortRefusals(refusals);
	const missingLine = missing.length === 0 ? [] : [inOneText(missingClassWords(missing, { isOwnServer: true }))];
	return [...missingLine, ...linesOf(others)];
}

/** Returns the words for a workflow in the editor's format that cannot be converted. */
export function notConvertibleWords(refusals: ConversionRefusal[], isOwnServer: boolean): Words {
	const { missing, others } = sortRefusals(refusals);
	if (missing.length > 0)
		return missingClassWords(missing, {
			isOwnServer,
			outcome: NOTHING_SENT,
			more: otherProblems(others.length),
			others: [...linesOf(others), CHECK_LISTS_ALL],
		});
	const [first, ...following] = others;
	if (first === undefined) return messages.CONVERSION_FAILED();
	return messages.WORKFLOW_NOT_CONVERTIBLE(first.fact, otherProblems(following.length), first.advice, linesOf(following, first.advice));
}

/** The note for a prompt with choices, which the editor picks again at each run. */
export const keptPromptLine = ({ nodeId, input }: { nodeId: string; input: string }): string =>
	`Node ${nodeId}, ${shortenName(input)}: its text contains choices such as {a|b}, and the editor of ComfyUI selects one of them for each run. The conversion keeps the text unchanged. Comfy Run Workflow selects a choice if it reads the workflow from ComfyUI itself.`;

/** The note for values that Python writes and JSON does not allow. */
export const lostNumberLines = (values = 0): string[] =>
	values === 0
		? []
		: [
				`${count(values, 'value of the file is', 'values of the file are')} NaN or Infinity, which JSON does not allow. The workflow contains null instead, which ComfyUI rejects for a number.`,
			];
