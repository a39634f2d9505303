import { type ConversionNote, type ConversionPlace, type ConversionRefusal, CORE, exactText, likelyPack } from '../../../client';
import { nodeName, shortened, type Words, words } from './words';

/** Where ComfyUI's own menus have it: since its web interface of October 2025, and before. */
export const EXPORT_MENU =
	'File > Export (API), or Export (API) in the menu of the workflow’s tab (older versions: Workflow > Export (API))';

/** How to get the other format. */
export const EXPORT_STEPS = `In ComfyUI open the workflow and choose ${EXPORT_MENU}. Paste that file here.`;

/** For whoever hears of the first thing only that a server lacks. */
export const CHECK_LISTS_ALL = 'Comfy Manage Jobs > Check Workflow lists all that is missing, without running anything.';

/** What is told of a conversion: for items, for messages, and for `npm run convert`. */

const MOST_LINES = 50;
const MOST_IDS = 8;
const LONGEST_VALUE = 80;
const LONGEST_NAME = 120;

const named = (text: string): string => shortened(text, LONGEST_NAME);
export const shortValue = (value: unknown): string => shortened(exactText(value), LONGEST_VALUE);
const listed = (texts: string[]): string =>
	texts.slice(0, MOST_IDS).join(', ') + (texts.length > MOST_IDS ? ` and ${texts.length - MOST_IDS} more` : '');

const placeName = ({ nodeId, title, className }: ConversionPlace): string =>
	nodeName(nodeId, { className: named(className), title: named(title) });
/** `node 5 "Upscale" (ImageScale)`, and of several of one class `nodes 5, 7, 9 (ImageScale)`. */
function placesName(places: ConversionPlace[]): string {
	const [first, ...more] = [...new Map(places.map((place) => [place.nodeId, place])).values()];
	if (first === undefined) return 'a node';
	return more.length === 0
		? `node ${placeName(first)}`
		: `nodes ${nodeName(listed([first, ...more].map(({ nodeId }) => nodeId)), { className: named(first.className) })}`;
}

function grouped<T>(all: T[], keyOf: (one: T) => string): T[][] {
	const groups = new Map<string, T[]>();
	for (const one of all) {
		const key = keyOf(one);
		const group = groups.get(key);
		if (group === undefined) groups.set(key, [one]);
		else group.push(one);
	}
	return [...groups.values()];
}

const bounded = (lines: string[]): string[] =>
	lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `And ${lines.length - MOST_LINES} more.`];
export const capital = (text: string): string => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());

const inputsName = (places: ConversionPlace[]): string =>
	`${placesName(places)}, ${places[0]?.input === undefined ? 'value' : named(places[0].input)}`;

/** `node 5 "Upscale" (ImageScale), width` */
export const inputName = (place: ConversionPlace): string => inputsName([place]);

function noteLine(notes: ConversionNote[]): string {
	const [note] = notes as [ConversionNote];
	const at = capital(inputsName(notes));
	const value = shortValue(note.value);
	switch (note.note) {
		case 'value_does_not_fit':
			return `${at}: ${value} does not fit what ComfyUI takes there. It was kept as it stands.`;
		case 'widget_guessed':
			return `${at}: ${value} was taken as the workflow holds it; this node’s own display in the editor may write something else.`;
	}
}

/** One line for each note; nodes of one class of which the same is said share one. */
export const noteLines = (notes: ConversionNote[]): string[] =>
	bounded(grouped(notes, ({ note, className, input, value }) => JSON.stringify([note, className, input, exactText(value)])).map(noteLine));

interface Told {
	/** What is the matter, as half a sentence. */
	fact: string;
	/** How to go on. */
	advice: string;
}

const EXPORT = `In a ComfyUI that has these nodes, open the workflow, choose ${EXPORT_MENU}, and use that file.`;
const MEND = 'Open the workflow in ComfyUI, mend it there and save it again.';

type UnknownClass = Extract<ConversionRefusal, { refusal: 'unknown_class' }>;

const packOf = ({ pack, className }: UnknownClass): string => pack ?? likelyPack(className) ?? '';

/** Classes of one pack are one sentence. */
function unknownClasses(refusals: UnknownClass[]): Told {
	const [first] = refusals as [UnknownClass];
	const pack = packOf(first);
	const each = grouped(refusals, ({ className }) => className).map(
		(same) =>
			`"${named(same[0]?.className ?? '')}" (${placesName(same.map((one) => ({ ...one, title: one.title === one.className ? '' : one.title, className: '' })))})`,
	);
	const fact = `ComfyUI there has no node class${each.length > 1 ? 'es' : ''} ${listed(each)}`;
	return { fact, advice: installAdvice(pack, first.pack !== undefined, each.length > 1) };
}

/** What brings a missing class. */
export function installAdvice(pack: string, isSaidByFile: boolean, areMany: boolean): string {
	const them = areMany ? 'them' : 'it';
	if (pack === CORE) return `Update ComfyUI: newer versions have ${them}.`;
	const install = 'in ComfyUI Manager: Install Missing Custom Nodes';
	if (pack === '') return `Install the custom nodes that bring ${them} (${install}) and restart ComfyUI.`;
	return `Install the custom nodes ${named(pack)}, which ${isSaidByFile ? 'bring' : 'probably bring'} ${them} (${install}, or search there for ${named(pack)}), and restart ComfyUI.`;
}

function told(refusals: ConversionRefusal[]): Told {
	const [first] = refusals as [ConversionRefusal];
	const places = refusals.filter((refusal): refusal is Extract<ConversionRefusal, ConversionPlace> => 'nodeId' in refusal);
	const at = placesName(places);
	switch (first.refusal) {
		case 'unknown_class':
			return unknownClasses(refusals as UnknownClass[]);
		case 'unknown_widgets':
			return {
				fact: `the inputs of ${at} are drawn by an extension of the editor, so that their values cannot be told from the file`,
				advice: EXPORT,
			};
		case 'hidden_links':
			return { fact: `an extension of the editor links ${at} to other nodes without showing it in the file`, advice: EXPORT };
		case 'broken_link':
			return {
				fact: `${first.input === undefined ? 'a link' : `the link into ${named(first.input)}`} of ${at} leads nowhere or in a circle`,
				advice: MEND,
			};
		case 'unknown_subgraph':
			return { fact: `${at} ${places.length > 1 ? 'stand' : 'stands'} for a subgraph that is not in the file`, advice: MEND };
		case 'cyclic_subgraph':
			return { fact: `the subgraph of ${at} contains itself`, advice: MEND };
		case 'broken_file':
			return { fact: `the file is broken: ${shortened(first.detail, 200)}`, advice: MEND };
		case 'nothing_to_run':
			return {
				fact: 'nothing in it would run: every node is muted, bypassed or a note',
				advice: 'Enable its nodes in ComfyUI and save it again.',
			};
		case 'too_large':
			return { fact: `it is too large to be converted here: ${shortened(first.detail, 200)}`, advice: EXPORT };
	}
}

function keyOf(refusal: ConversionRefusal): string {
	if (refusal.refusal === 'unknown_class') return JSON.stringify([refusal.refusal, refusal.pack ?? null, packOf(refusal)]);
	return JSON.stringify([
		refusal.refusal,
		'className' in refusal ? [refusal.className, refusal.input] : 'detail' in refusal ? refusal.detail : '',
	]);
}

const toldOf = (refusals: ConversionRefusal[]): Told[] => grouped(refusals, keyOf).map(told);

/** What is the matter and how to go on, one line for each thing. */
export const refusalLines = (refusals: ConversionRefusal[]): string[] =>
	bounded(toldOf(refusals).map(({ fact, advice }) => `${capital(fact)}. ${advice}`));

/** A workflow in the editor's own format of which something cannot be known; nothing was sent. */
export function notConvertibleWords(refusals: ConversionRefusal[]): Words {
	const all = toldOf(refusals);
	const [first, ...more] = all;
	if (first === undefined) return words('Workflow is in the editor’s own format and cannot be converted', `Nothing was sent. ${EXPORT}`);
	const others = more.length === 0 ? '' : ` (and ${more.length} more ${more.length === 1 ? 'thing' : 'things'}, see below)`;
	const rest = bounded(more.map(({ fact, advice }) => `${capital(fact)}. ${advice === first.advice ? '' : advice}`.trim()));
	const check = refusals.some(({ refusal }) => refusal === 'unknown_class') ? CHECK_LISTS_ALL : undefined;
	return words(`Workflow cannot be converted: ${first.fact}${others}`, `Nothing was sent. ${first.advice}`, ...rest, check);
}

/** Of a prompt that the editor draws anew at each run. */
export const keptPromptLine = ({ nodeId, input }: { nodeId: string; input: string }): string =>
	`Node ${nodeId}, ${named(input)}: its text holds choices such as {a|b}, of which ComfyUI’s editor draws one at each run. They are kept as they are written; Comfy Run Workflow draws them where it reads the workflow from ComfyUI itself.`;

/** Of a file that Python has written. */
export const lostNumberLines = (count = 0): string[] =>
	count === 0
		? []
		: [
				`${count} ${count === 1 ? 'value' : 'values'} of the file ${count === 1 ? 'is no number' : 'are no numbers'} (NaN or Infinity). null was taken in ${count === 1 ? 'its' : 'their'} place, which ComfyUI refuses where it needs a number.`,
			];
