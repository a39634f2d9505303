import {
	type ConversionNote,
	type ConversionPlace,
	type ConversionRefusal,
	exactText,
	groupMissingClasses,
	type MissingClass,
} from '../../../client';
import { missingClassWords } from './missingClasses';
import { joinNames, limitLines, NOTHING_SENT, nodeName, shorten, type Words, words } from './words';

/** The names of the menu entries since ComfyUI's web interface of October 2025, and before. */
const EXPORT_MENU = 'File > Export (API), or Export (API) in the menu of the workflow’s tab (older versions: Workflow > Export (API))';

/** How to export a workflow in API format. */
export const EXPORT_STEPS = `In ComfyUI, open the workflow, choose ${EXPORT_MENU}, and paste the content of that file here.`;

/** What to do about a workflow without an output node. */
export const ADD_OUTPUT_NODE = 'Add Save Image, Preview Image, or another node that saves or shows a result.';

/** ComfyUI itself reports only the first missing node. */
export const CHECK_LISTS_ALL = 'To list everything that is missing without running the workflow, use Comfy Manage Jobs > Check Workflow.';

/** Texts about conversions, for items, messages and `npm run convert`. */

const MOST_LINES = 50;
const MOST_IDS = 8;
const MOST_VALUES = 30;
const LONGEST_VALUE = 80;
const LONGEST_NAME = 120;

const shortenName = (text: string): string => shorten(text, LONGEST_NAME);
export const shortValue = (value: unknown): string => shorten(exactText(value), LONGEST_VALUE);

const placeName = ({ nodeId, title, className }: ConversionPlace): string =>
	nodeName(nodeId, { className: shortenName(className), title: shortenName(title) });
/** Returns `node 5 "Upscale" (ImageScale)`, or `nodes 5, 7, 9 (ImageScale)` for several nodes of one class. */
function placesName(places: ConversionPlace[]): string {
	const [first, ...more] = [...new Map(places.map((place) => [place.nodeId, place])).values()];
	if (first === undefined) return 'a node';
	return more.length === 0
		? `node ${placeName(first)}`
		: `nodes ${nodeName(
				joinNames(
					[first, ...more].map(({ nodeId }) => nodeId),
					MOST_IDS,
				),
				{ className: shortenName(first.className) },
			)}`;
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

/** Returns `node 5 "Upscale" (ImageScale), width`. */
export const inputName = (place: ConversionPlace): string =>
	`${placesName([place])}, ${place.input === undefined ? 'value' : shortenName(place.input)}`;

type MisfitNote = Extract<ConversionNote, { note: 'value_does_not_fit' }>;

const EXPECTED: Record<MisfitNote['expected'], string> = {
	integer: 'a whole number',
	number: 'a number',
	text: 'a text',
	boolean: 'true or false',
	choice: 'one of its choices',
};

function noteText(note: ConversionNote): string {
	const [input, value] = [shortenName(note.input ?? 'value'), shortValue(note.value)];
	switch (note.note) {
		case 'value_does_not_fit':
			return `${input} is ${value}, but ComfyUI expects ${EXPECTED[note.expected]}`;
		case 'value_by_name':
			return `${input} is ${value}. This value was found by its name, because the value at its position, ${shortValue(note.instead)}, is not valid`;
		case 'link_dropped':
			return `the link to ${input} is not converted, because this ComfyUI does not have the selected option of ${shortenName(note.choice)}`;
		case 'link_contested':
			return `the file contradicts itself about the link to ${input}. ${note.value === null ? 'No link is used' : `The link from node ${shortenName(note.value[0])} is used`}`;
		case 'link_by_extension':
			return `the link to ${input} is from the extension Use Everywhere, which may have another link since the file was saved`;
		case 'random_seed':
			return `${input} is ${value}, which stands for a random seed. Comfy Run Workflow and Comfy Submit Workflow send a random number in its place`;
		case 'node_replaced':
			return `this ComfyUI no longer has this node. ${shortenName(note.value)}, which replaces it, runs instead${note.lost.length === 0 ? '' : `, without ${joinNames(note.lost.map(shortenName), MOST_VALUES)}`}`;
		case 'widget_guessed':
			return `${input} is ${value}, but ComfyUI’s editor may send another value`;
	}
}

const isWrong = ({ note }: ConversionNote): boolean => note === 'value_does_not_fit';

/** Wrong values come first. */
function nodeText(notes: ConversionNote[]): string {
	const sorted = [...notes.filter(isWrong), ...notes.filter((note) => !isWrong(note))];
	const what = notes.some(({ note }) => note === 'node_replaced') ? 'this node' : notes.length > 1 ? 'these values' : 'this value';
	return `${joinNames(sorted.map(noteText), MOST_VALUES, '; ')}. Check ${what} in ComfyUI.`;
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

/** The text for one reason why a workflow cannot be converted. */
interface RefusalText {
	/** What is wrong, as half a sentence. */
	fact: string;
	/** What to do. */
	advice: string;
}

/** How to get a workflow in API format where the node reads a file. */
export const EXPORT_FILE = `Open the workflow in a ComfyUI that has these nodes, choose ${EXPORT_MENU}, and use that file.`;
const FIX = 'Open the workflow in ComfyUI, correct it and save it again.';

type UnknownClassRefusal = Extract<ConversionRefusal, { refusal: 'unknown_class' }>;

const isUnknownClass = (refusal: ConversionRefusal): refusal is UnknownClassRefusal => refusal.refusal === 'unknown_class';

type OtherRefusal = Exclude<ConversionRefusal, UnknownClassRefusal>;

function refusalText(refusals: OtherRefusal[]): RefusalText {
	const [first] = refusals as [OtherRefusal];
	const places = refusals.filter((refusal): refusal is Extract<OtherRefusal, ConversionPlace> => 'nodeId' in refusal);
	const at = placesName(places);
	switch (first.refusal) {
		case 'unknown_widgets':
			if (first.input !== undefined)
				return {
					fact: `the editor sets ${shortenName(first.input)} of ${at} when it runs the workflow, and the file does not contain the value`,
					advice: EXPORT_FILE,
				};
			return {
				fact: `an extension of the editor shows the inputs of ${at}, so that the file does not show which value belongs to which input`,
				advice: EXPORT_FILE,
			};
		case 'hidden_links':
			return {
				fact: `an extension of the editor links ${at} to other nodes, and the file does not contain these links`,
				advice: EXPORT_FILE,
			};
		case 'broken_link':
			return {
				fact: `${first.input === undefined ? 'a link' : `the link to ${shortenName(first.input)}`} of ${at} has no source or leads in a circle`,
				advice: FIX,
			};
		case 'circular_links':
			return {
				fact: `nodes ${joinNames(first.nodeIds, MOST_IDS)} are linked in a circle, so that ComfyUI cannot run any of them first`,
				advice: FIX,
			};
		case 'unknown_subgraph':
			return { fact: `the subgraph of ${at} is not in the file`, advice: FIX };
		case 'cyclic_subgraph':
			return { fact: `the subgraph of ${at} contains itself`, advice: FIX };
		case 'broken_file':
			return { fact: `the file is damaged: ${shorten(first.detail, 200)}`, advice: FIX };
		case 'nothing_to_run':
			return {
				fact: 'it has no node to run: every node is muted, bypassed or a note',
				advice: 'Enable its nodes in ComfyUI, and save it again.',
			};
		case 'too_large':
			return { fact: `it is too large for the conversion: ${shorten(first.detail, 200)}`, advice: EXPORT_FILE };
	}
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
	return { missing: groupMissingClasses(refusals.filter(isUnknownClass)), others: groupBy(others, keyOf).map(refusalText) };
}

const othersCount = (count: number): string =>
	count === 0 ? '' : ` (and ${count} more ${count === 1 ? 'problem' : 'problems'}, see below)`;

/** Returns one line for each reason: what is wrong and what to do. */
export function refusalLines(refusals: ConversionRefusal[]): string[] {
	const { missing, others } = sortRefusals(refusals);
	const lines = others.map(({ fact, advice }) => `${capital(fact)}. ${advice}`);
	if (missing.length === 0) return limitLines(lines, MOST_LINES);
	const { message, advice } = missingClassWords(missing, true);
	return [`${message}. ${advice}`, ...limitLines(lines, MOST_LINES)];
}

/** Returns the words for a workflow in the editor's format that cannot be converted. */
export function notConvertibleWords(refusals: ConversionRefusal[], isOwnServer: boolean): Words {
	const { missing, others } = sortRefusals(refusals);
	if (missing.length > 0) {
		const { message, advice } = missingClassWords(missing, isOwnServer);
		const otherLines = limitLines(
			others.map(({ fact, advice: next }) => `${capital(fact)}. ${next}`),
			MOST_LINES,
		);
		return words(`${message}${othersCount(others.length)}`, `${NOTHING_SENT} ${advice}`, ...otherLines, CHECK_LISTS_ALL);
	}
	const [first, ...following] = others;
	if (first === undefined) return words('Workflow is in the editor format and cannot be converted', `${NOTHING_SENT} ${EXPORT_FILE}`);
	const otherLines = limitLines(
		following.map(({ fact, advice }) => `${capital(fact)}. ${advice === first.advice ? '' : advice}`.trim()),
		MOST_LINES,
	);
	return words(
		`Workflow cannot be converted: ${first.fact}${othersCount(following.length)}`,
		`${NOTHING_SENT} ${first.advice}`,
		...otherLines,
	);
}

/** Returns the note for a prompt with choices, which the editor picks again at each run. */
export const keptPromptLine = ({ nodeId, input }: { nodeId: string; input: string }): string =>
	`Node ${nodeId}, ${shortenName(input)}: its text contains choices such as {a|b}, and the editor of ComfyUI selects one of them for each run. The conversion keeps the text unchanged. Comfy Run Workflow selects a choice if it reads the workflow from ComfyUI itself.`;

/** Returns the note for values that Python writes and JSON does not allow. */
export const lostNumberLines = (count = 0): string[] =>
	count === 0
		? []
		: [
				`${count} ${count === 1 ? 'value' : 'values'} of the file ${count === 1 ? 'is' : 'are'} NaN or Infinity, which JSON does not allow. The workflow contains null instead, which ComfyUI rejects for a number.`,
			];
