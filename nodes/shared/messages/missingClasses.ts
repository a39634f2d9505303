import { CORE_PACK, type MissingClass } from '../../../client';
import { joinNames, limitLines, nodeName, shorten, type Words, words } from './words';

/** Texts about node classes that a server does not have: how many, which, and the probable origin of each. */

const MOST_NAMED = 3;
const MOST_LINES = 50;
const MOST_IDS = 8;
const LONGEST_NAME = 120;

const shortenName = (text: string): string => shorten(text, LONGEST_NAME);

/** Returns `A, B and C`. For more than three names, it names two and how many follow. */
const enumerate = (names: string[]): string =>
	names.length > MOST_NAMED ? joinNames(names, MOST_NAMED - 1) : joinNames([...names.slice(0, -2), names.slice(-2).join(' and ')]);

/** Returns `node 5 "Upscale"`, or `nodes 5, 7, 9`. */
function nodesWithIds({ className, nodes }: MissingClass): string | undefined {
	const [first, ...more] = nodes.filter(({ nodeId }) => nodeId !== '');
	if (first === undefined) return undefined;
	const title = first.title === className ? undefined : shortenName(first.title);
	return more.length === 0
		? `node ${nodeName(first.nodeId, { title })}`
		: `nodes ${joinNames(
				[first, ...more].map(({ nodeId }) => nodeId),
				MOST_IDS,
			)}`;
}

function likelyCause({ pack, isGuess, replacedBy }: MissingClass): string {
	if (replacedBy !== undefined) return `retired; ${shortenName(replacedBy)} replaces it`;
	if (pack === undefined) return 'part of a newer ComfyUI or of custom nodes; the workflow does not show which';
	if (pack === CORE_PACK) return isGuess ? 'probably a partner node of a newer ComfyUI' : 'part of a newer ComfyUI';
	return `${isGuess ? 'probably ' : ''}part of the custom nodes ${shortenName(pack)}`;
}

function causeLine(missing: MissingClass): string {
	const nodes = nodesWithIds(missing);
	return `${shortenName(missing.className)}${nodes === undefined ? '' : ` (${nodes})`}: ${likelyCause(missing)}`;
}

/** Returns what to do about the missing classes. @param isOwnServer whether the user can install nodes on the server. */
export function missingClassAdvice(classes: MissingClass[], isOwnServer: boolean): string {
	const [retired, others] = [classes.filter(isRetired), classes.filter((one) => !isRetired(one))];
	return [...(retired.length > 0 ? [retiredAdvice(retired)] : []), ...(others.length > 0 ? [otherAdvice(others, isOwnServer)] : [])].join(
		' ',
	);
}

const isRetired = ({ replacedBy }: MissingClass): boolean => replacedBy !== undefined;

const retiredAdvice = (classes: MissingClass[]): string =>
	`In ComfyUI, replace ${enumerate(classes.map(({ className, replacedBy = '' }) => `${shortenName(className)} with ${shortenName(replacedBy)}`))}. Then save the workflow again.`;

function otherAdvice(classes: MissingClass[], isOwnServer: boolean): string {
	const them = classes.length > 1 ? 'them' : 'it';
	if (!isOwnServer) return `Replace ${them} in the workflow, or run the workflow on a ComfyUI that has ${them}.`;
	const packs = [...new Set(classes.map(({ pack }) => pack))];
	const [probably, contain] = classes.some(({ isGuess }) => isGuess) ? ['probably ', 'probably contain'] : ['', 'contain'];
	if (packs.every((pack) => pack === CORE_PACK)) return `Update ComfyUI: a newer version ${probably}has ${them}.`;
	const [searchTerm = classes[0]?.className ?? ''] = packs;
	const search =
		packs.length === 1 && (classes.length === 1 || packs[0] !== undefined) ? `, or search for "${shortenName(searchTerm)}"` : '';
	const install = `To install custom nodes, choose Install Missing Custom Nodes in ComfyUI Manager${search}. Then restart ComfyUI.`;
	if (packs.includes(undefined) || packs.includes(CORE_PACK))
		return `Update ComfyUI, or install the custom nodes that contain ${them}. ${install}`;
	return `Install the custom nodes ${enumerate(packs.map(String).map(shortenName))}, which ${contain} ${them}. ${install}`;
}

/** Returns the words. If several classes are missing, the advice ends with a line for each, with its origin. */
export function missingClassWords(classes: MissingClass[], isOwnServer: boolean): Words {
	const server = isOwnServer ? 'This ComfyUI' : 'The service';
	const advice = missingClassAdvice(classes, isOwnServer);
	const [first] = classes;
	if (first !== undefined && classes.length === 1) {
		const nodes = nodesWithIds(first);
		const where = nodes === undefined ? '' : ` (${nodes})`;
		return words(`${server} does not have the node "${shortenName(first.className)}" that the workflow uses${where}`, advice);
	}
	const names = classes.map(({ className }) => shortenName(className));
	const lines = limitLines(classes.map(causeLine), MOST_LINES);
	return words(`${server} does not have ${classes.length} nodes that the workflow uses: ${enumerate(names)}`, advice, ...lines);
}
