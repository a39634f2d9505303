import { CORE_PACK, type MissingClass } from '../../../client';
import { messages } from '../messages/catalogue';
import { joinNames, limitLines, nodeName, shorten, type Words } from '../messages/words';

const MOST_NAMED = 3;
const MOST_LINES = 50;
const MOST_IDS = 8;
const LONGEST_NAME = 120;
const LONGEST_FOLDER = 200;

const shortenName = (text: string): string => shorten(text, LONGEST_NAME);

/** Returns `A, B and C`. For more than three names, it names two and how many follow. */
const enumerate = (names: string[]): string =>
	names.length > MOST_NAMED ? joinNames(names, MOST_NAMED - 1) : joinNames([...names.slice(0, -2), names.slice(-2).join(' and ')]);

/** Returns `node 5 "Upscale"`, or `nodes 5, 7, 9`. */
function nodesWithIds({ className, nodes }: MissingClass): string | undefined {
	const [first, ...more] = nodes.filter(({ nodeId }) => nodeId !== '');
	if (first === undefined) return undefined;
	const title = first.title === className ? undefined : shortenName(first.title);
	const ids = [first, ...more].map(({ nodeId }) => nodeId);
	return more.length === 0 ? `node ${nodeName(first.nodeId, { title })}` : `nodes ${joinNames(ids, MOST_IDS)}`;
}

const probably = (isGuess: boolean): string => (isGuess ? 'probably ' : '');

function likelyCause({ pack, isGuess }: MissingClass): string {
	if (pack === undefined) return 'part of a newer ComfyUI or of custom nodes; the workflow does not show which';
	if (pack === CORE_PACK) return isGuess ? 'probably a partner node of a newer ComfyUI' : 'part of a newer ComfyUI';
	return `${probably(isGuess)}part of the custom nodes ${shortenName(pack)}`;
}

const inBrackets = (text: string | undefined): string => (text === undefined ? '' : ` (${text})`);

const causeLine = (missing: MissingClass): string =>
	`${shortenName(missing.className)}${inBrackets(nodesWithIds(missing))}: ${likelyCause(missing)}`;

/** Returns ComfyUI's folder for a file. @param folder undefined for the files of custom nodes. */
export const folderName = (folder: string | undefined): string =>
	folder === undefined ? 'the folder from which this node loads its files' : `the folder ${shorten(folder, LONGEST_FOLDER)} of ComfyUI`;

/** Returns what to do about the missing classes. @param isOwnServer whether the user can install nodes on the server. */
export function missingClassAdvice(classes: MissingClass[], isOwnServer: boolean): string {
	const them = classes.length > 1 ? 'them' : 'it';
	if (!isOwnServer) return `Replace ${them} in the workflow, or run the workflow on a ComfyUI that has ${them}.`;
	const packs = [...new Set(classes.map(({ pack }) => pack))];
	const guess = probably(classes.some(({ isGuess }) => isGuess));
	if (packs.every((pack) => pack === CORE_PACK)) return `Update ComfyUI: a newer version ${guess}has ${them}.`;
	const [term = classes[0]?.className ?? ''] = packs;
	const isSearchable = packs.length === 1 && (classes.length === 1 || packs[0] !== undefined);
	const search = isSearchable ? `, or search for "${shortenName(term)}"` : '';
	const install = `To install custom nodes, choose Install Missing Custom Nodes in ComfyUI Manager${search}. Then restart ComfyUI.`;
	if (packs.includes(undefined) || packs.includes(CORE_PACK))
		return `Update ComfyUI, or install the custom nodes that contain ${them}. ${install}`;
	return `Install the custom nodes ${enumerate(packs.map(String).map(shortenName))}, which ${guess}contain ${them}. ${install}`;
}

/** What the words say in addition. */
interface MissingClassContext {
	isOwnServer: boolean;
	/** Whether something was sent. Default: nothing about it. */
	outcome?: string;
	/** How many other problems there are. */
	more?: string;
	/** More lines of advice. */
	others?: string[];
	/** What follows the advice. */
	addition?: string;
}

/** Returns the words. If several classes are missing, the advice has a line for each, with its origin. */
export function missingClassWords(
	classes: MissingClass[],
	{ isOwnServer, outcome = '', more = '', others = [], addition = '' }: MissingClassContext,
): Words {
	const advice = `${missingClassAdvice(classes, isOwnServer)} ${addition}`.trim();
	const [first] = classes;
	if (first !== undefined && classes.length === 1)
		return messages.NODE_MISSING(isOwnServer, shortenName(first.className), inBrackets(nodesWithIds(first)), advice, outcome, more, others);
	const names = enumerate(classes.map(({ className }) => shortenName(className)));
	const lines = limitLines(classes.map(causeLine), MOST_LINES);
	return messages.NODES_MISSING(isOwnServer, classes.length, names, advice, outcome, more, [...lines, ...others]);
}
