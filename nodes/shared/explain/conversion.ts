import {
	type ConversionNote,
	type ConversionPlace,
	type ConversionRefusal,
	exactText,
	groupMissingClasses,
	type MissingClass,
} from '../../../client';
import { messages } from '../messages/catalogue';
import { EXPECTED_VALUE, noteText, otherProblems, type RefusalText, refusalText } from '../messages/conversionTexts';
import { CHECK_LISTS_ALL } from '../messages/topics/workflow';
import { byKind, inOneText, joinNames, limitLines, NOTHING_SENT, nodeName, shorten, type Words } from '../messages/words';
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

const describeNote = byKind<ConversionNote, 'note', string>('note', {
	value_does_not_fit: (note) => noteText.misfit(inputOf(note), shortValue(note.value), EXPECTED_VALUE[note.expected]),
	value_by_name: (note) => noteText.byName(inputOf(note), shortValue(note.value), shortValue(note.instead)),
	link_dropped: (note) => noteText.linkDropped(inputOf(note), shortenName(note.choice)),
	link_contested: (note) =>
		noteText.linkContested(inputOf(note), note.value === null ? noteText.noLinkUsed : noteText.linkUsed(shortenName(note.value[0]))),
	link_by_extension: (note) => noteText.linkByExtension(inputOf(note)),
	random_seed: (note) => noteText.randomSeed(inputOf(note), shortValue(note.value)),
	widget_guessed: (note) => noteText.widgetGuessed(inputOf(note), shortValue(note.value)),
});

const isWrong = ({ note }: ConversionNote): boolean => note === 'value_does_not_fit';

/** Wrong values come first. */
function nodeText(notes: ConversionNote[]): string {
	const sorted = [...notes.filter(isWrong), ...notes.filter((note) => !isWrong(note))];
	return noteText.check(joinNames(sorted.map(describeNote), MOST_VALUES, '; '), sorted.length);
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

/** @param refusals of one kind, which differ only in their nodes. */
function describeRefusals(refusals: OtherRefusal[]): RefusalText {
	const [first] = refusals as [OtherRefusal];
	const at = placesName(refusals.filter((refusal): refusal is Extract<OtherRefusal, ConversionPlace> => 'nodeId' in refusal));
	return byKind<OtherRefusal, 'refusal', RefusalText>('refusal', {
		unknown_widgets: ({ input }) =>
			input === undefined ? refusalText.inputsOfExtension(at) : refusalText.valueOfEditor(shortenName(input), at),
		hidden_links: () => refusalText.hiddenLinks(at),
		broken_link: ({ input }) => refusalText.brokenLink(input === undefined ? 'a link' : `the link to ${shortenName(input)}`, at),
		circular_links: ({ nodeIds }) => refusalText.circularLinks(joinNames(nodeIds, MOST_IDS)),
		unknown_subgraph: () => refusalText.unknownSubgraph(at),
		cyclic_subgraph: () => refusalText.cyclicSubgraph(at),
		broken_file: ({ detail }) => refusalText.brokenFile(shortDetail(detail)),
		nothing_to_run: refusalText.nothingToRun,
		too_large: ({ detail }) => refusalText.tooLarge(shortDetail(detail)),
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
