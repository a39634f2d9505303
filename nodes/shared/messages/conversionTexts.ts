/** Texts about conversions, for items, messages and `npm run convert`. Values and names in them are shortened already. */
import { count } from './words';
import { EXPORT_FILE } from './topics/workflow';

/** What the conversion notes about an input. */
export const noteText = {
	misfit: (input: string, value: string, expected: string): string => `${input} is ${value}, but ComfyUI expects ${expected}`,
	byName: (input: string, value: string, instead: string): string =>
		`${input} is ${value}. This value was found by its name, because the value at its position, ${instead}, is not valid`,
	linkDropped: (input: string, choice: string): string =>
		`the link to ${input} is not converted, because this ComfyUI does not have the selected option of ${choice}`,
	linkContested: (input: string, used: string): string => `the file contradicts itself about the link to ${input}. ${used}`,
	noLinkUsed: 'No link is used',
	linkUsed: (node: string): string => `The link from node ${node} is used`,
	linkByExtension: (input: string): string =>
		`the link to ${input} is from the extension Use Everywhere, which may have another link since the file was saved`,
	randomSeed: (input: string, value: string): string =>
		`${input} is ${value}, which stands for a random seed. Comfy Run Workflow and Comfy Submit Workflow send a random number in its place`,
	widgetGuessed: (input: string, value: string): string => `${input} is ${value}, but ComfyUI’s editor may send another value`,
	check: (notes: string, countOfNotes: number): string => `${notes}. Check ${countOfNotes > 1 ? 'these values' : 'this value'} in ComfyUI.`,
};

/** What a value should be. */
export const EXPECTED_VALUE = {
	integer: 'a whole number',
	number: 'a number',
	text: 'a text',
	boolean: 'true or false',
	choice: 'one of its choices',
};

const FIX = 'Open the workflow in ComfyUI, correct it and save it again.';

/** One reason why a workflow cannot be converted. */
export interface RefusalText {
	/** What is wrong, as half a sentence. */
	fact: string;
	/** What to do. */
	advice: string;
}

/** @param at one node or several nodes. */
export const refusalText = {
	valueOfEditor: (input: string, at: string): RefusalText => ({
		fact: `the editor sets ${input} of ${at} when it runs the workflow, and the file does not contain the value`,
		advice: EXPORT_FILE,
	}),
	inputsOfExtension: (at: string): RefusalText => ({
		fact: `an extension of the editor shows the inputs of ${at}, so that the file does not show which value belongs to which input`,
		advice: EXPORT_FILE,
	}),
	hiddenLinks: (at: string): RefusalText => ({
		fact: `an extension of the editor links ${at} to other nodes, and the file does not contain these links`,
		advice: EXPORT_FILE,
	}),
	brokenLink: (link: string, at: string): RefusalText => ({ fact: `${link} of ${at} has no source or leads in a circle`, advice: FIX }),
	circularLinks: (ids: string): RefusalText => ({
		fact: `nodes ${ids} are linked in a circle, so that ComfyUI cannot run any of them first`,
		advice: FIX,
	}),
	unknownSubgraph: (at: string): RefusalText => ({ fact: `the subgraph of ${at} is not in the file`, advice: FIX }),
	cyclicSubgraph: (at: string): RefusalText => ({ fact: `the subgraph of ${at} contains itself`, advice: FIX }),
	brokenFile: (detail: string): RefusalText => ({ fact: `the file is damaged: ${detail}`, advice: FIX }),
	nothingToRun: (): RefusalText => ({
		fact: 'it has no node to run: every node is muted, bypassed or a note',
		advice: 'Enable its nodes in ComfyUI, and save it again.',
	}),
	tooLarge: (detail: string): RefusalText => ({ fact: `it is too large for the conversion: ${detail}`, advice: EXPORT_FILE }),
};

/** How many other problems there are. */
export const otherProblems = (problems: number): string =>
	problems === 0 ? '' : ` (and ${problems} more ${problems === 1 ? 'problem' : 'problems'}, see below)`;

/** The note for a prompt with choices, which the editor picks again at each run. */
export const keptPromptLine = ({ nodeId, input }: { nodeId: string; input: string }): string =>
	`Node ${nodeId}, ${input}: its text contains choices such as {a|b}, and the editor of ComfyUI selects one of them for each run. The conversion keeps the text unchanged. Comfy Run Workflow selects a choice if it reads the workflow from ComfyUI itself.`;

/** The note for values that Python writes and JSON does not allow. */
export const lostNumberLines = (values = 0): string[] =>
	values === 0
		? []
		: [
				`${count(values, 'value of the file is', 'values of the file are')} NaN or Infinity, which JSON does not allow. The workflow contains null instead, which ComfyUI rejects for a number.`,
			];

/** What *Check Workflow* finds. @param input begins with a capital letter. */
export const checkText = {
	notOffered: (input: string, value: string, similar: string): string =>
		`${input}: ${value} is not one of the values that ComfyUI offers.${similar}`,
	outOfRange: (input: string, value: string, limits: string): string => `${input}: ${value} is out of range. The value must be ${limits}.`,
	noNumber: (input: string, value: string): string => `${input}: ${value} is not a number, and this input needs a number.`,
	missingInput: (input: string): string => `${input}: this required input has no value and no link.`,
	danglingLink: (input: string, from: string): string => `${input}: it is linked to node ${from}, which is not in the workflow.`,
	noOutputs: (advice: string): string => `The workflow has no output node. ${advice}`,
	fileNotChecked: (input: string, name: string): string => `${input}: the node cannot check whether ComfyUI has the file "${name}".`,
	similarNames: (names: string): string => ` Similar names in ComfyUI: ${names}.`,
	modelAdvice: (folder: string, download: string, similar: string): string =>
		`Put it into ${folder}, or choose a file that ComfyUI has.${download}${similar}`,
	hasDownload: ' The workflow contains its download address, see url.',
	fileAdvice: (similar: string): string =>
		`Send it in a row of Files of Comfy Run Workflow or with Comfy Upload Asset, or put it into the folder input of ComfyUI.${similar}`,
	lacks: (things: string): string => `it does not have ${things}`,
	otherProblems: (problems: number): string => `the workflow has ${problems} other ${problems === 1 ? 'problem' : 'problems'}`,
	canRun: 'This ComfyUI can run the workflow.',
	cannotRun: (reasons: string): string => `This ComfyUI cannot run the workflow: ${reasons}.`,
};

/** Returns ComfyUI's folder for a model. */
export const folderName = (folder: string | undefined): string =>
	folder === undefined ? 'the folder from which this node loads its files' : `the folder ${folder} of ComfyUI`;

/** The probable origin of a node class that a server does not have. @param probably `probably ` for a guess, or empty. */
export const originText = {
	unknown: 'part of a newer ComfyUI or of custom nodes; the workflow does not show which',
	newer: 'part of a newer ComfyUI',
	partner: 'probably a partner node of a newer ComfyUI',
	pack: (probably: string, pack: string): string => `${probably}part of the custom nodes ${pack}`,
};

/** What to do about missing node classes. @param them `it` or `them`. @param probably `probably ` for a guess, or empty. */
export const missingClassText = {
	inService: (them: string): string => `Replace ${them} in the workflow, or run the workflow on a ComfyUI that has ${them}.`,
	update: (them: string, probably: string): string => `Update ComfyUI: a newer version ${probably}has ${them}.`,
	updateOrInstall: (them: string, search: string): string =>
		`Update ComfyUI, or install the custom nodes that contain ${them}. ${howToInstall(search)}`,
	install: (packs: string, them: string, probably: string, search: string): string =>
		`Install the custom nodes ${packs}, which ${probably}contain ${them}. ${howToInstall(search)}`,
	search: (term: string): string => `, or search for "${term}"`,
};

const howToInstall = (search: string): string =>
	`To install custom nodes, choose Install Missing Custom Nodes in ComfyUI Manager${search}. Then restart ComfyUI.`;
