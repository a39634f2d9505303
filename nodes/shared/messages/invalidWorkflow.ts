import type { ApiError } from '../../../client';
import { missingFile, type MissingFile } from './missingFile';
import { type MissingNodes, missingNodes } from './missingNode';
import { type NodeReason, nodeReasons, reasonLine } from './nodeReasons';
import type { CredentialWords } from './refusals';

const NO_JOB = 'No job was created.';
const NAMED = 'Correct the inputs named here.';
/** An engine says no more of nodes that are linked in a circle. */
const UNNAMED = 'Open the workflow in ComfyUI and run it there once: it shows which node is wrong, or how nodes are linked in a circle.';
const MOST_CHOICES = 10;

/** It says that something is wrong with a node, and not what. */
const SAYS_NOTHING = /^Prompt outputs failed validation$/;
const NO_OUTPUTS = /^Prompt has no outputs/;

const listed = (texts: string[]): string => texts.slice(0, MOST_CHOICES).join(', ') + (texts.length > MOST_CHOICES ? `, … (${texts.length} in all)` : '');

/** Names what is missing, where the user can add it: the service's own sentence does not say where to get it. */
function missingClass({ nodes, title }: MissingNodes): [string, string] {
	const classes = [...new Set(nodes.map(({ className }) => className))];
	const ids = nodes.flatMap(({ nodeId }) => nodeId ?? []);
	const install = (name: string, search: string) =>
		`${NO_JOB} Install the custom nodes that bring ${name} (in ComfyUI Manager: Install Missing Custom Nodes, or search for ${search}) and restart ComfyUI, or correct class_type in the workflow.`;
	if (classes.length === 1) {
		const where = ids.length === 0 ? '' : ` (node${ids.length > 1 ? 's' : ''} ${ids.join(', ')} of the workflow)`;
		return [`This ComfyUI has no node class "${classes[0]}"${where}`, install('it', `"${classes[0]}"`)];
	}
	const each = nodes.map(({ className, nodeId }) => `"${className}" (node ${nodeId})`).join(', ');
	return [`This ComfyUI lacks one of the node classes ${each}: ComfyUI names it by the title "${title}", which these nodes share`, install('the missing one', 'each of them')];
}

const noOutputs = (): [string, string] => [
	'The workflow has no node that outputs anything (Prompt has no outputs)',
	`${NO_JOB} Add Save Image or Preview Image, or another node that saves or shows a result, behind the node whose result you want, and export the workflow again.`,
];

function fileWords({ kind, name, folder }: MissingFile, { node, input }: NodeReason, { isOwnServer }: CredentialWords): [string, string] {
	const owner = isOwnServer ? 'This ComfyUI' : 'The service';
	const message = `${owner} does not have the file "${name}", which node ${node} names under ${input ?? 'one of its inputs'}`;
	if (kind === 'input') return [message, `${NO_JOB} Send it with Comfy Upload Asset before this node, and place its reference under Input Files${isOwnServer ? '; or put it into ComfyUI’s folder input' : ''}.`];
	const place = folder === undefined ? 'the folder from which this node loads its files' : `ComfyUI’s folder ${folder}`;
	return [message, isOwnServer ? `${NO_JOB} Put it into ${place}, or name a file there that ComfyUI has.` : `${NO_JOB} Name a file that the service has: choose it in the workflow there, and export the workflow again.`];
}

function firstReason(error: ApiError, reason: NodeReason, credential: CredentialWords): [string, string] {
	const file = missingFile(reason);
	if (file !== undefined) return fileWords(file, reason, credential);
	const said = SAYS_NOTHING.test(error.message) ? '' : `${error.message}: `;
	const choices = reason.choices.length === 0 ? '' : ` ${reason.input} takes: ${listed(reason.choices)}.`;
	return [`The service cannot run this workflow: ${said}${reasonLine(reason)}`, `${NO_JOB} ${NAMED}${choices}`];
}

/** A refused workflow: the first thing that is wrong, by its node, and what to do about it. */
export function invalidWorkflow(error: ApiError, credential: CredentialWords): [string, string] {
	const missing = credential.isOwnServer ? missingNodes(error) : undefined;
	if (missing !== undefined) return missingClass(missing);
	if (NO_OUTPUTS.test(error.message)) return noOutputs();
	const [first] = nodeReasons(error);
	if (first !== undefined) return firstReason(error, first, credential);
	return [`The service cannot run this workflow: ${error.message}`, `${NO_JOB} ${UNNAMED}`];
}
