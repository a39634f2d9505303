import { defineMessages, joinNames, NO_JOB, NOTHING_SENT } from '../words';

/** The names of the menu entries since ComfyUI's web interface of October 2025, and before. */
const EXPORT_MENU = 'File > Export (API), or Export (API) in the menu of the workflow’s tab (older versions: Workflow > Export (API))';

/** How to export a workflow in API format. */
export const EXPORT_STEPS = `In ComfyUI, open the workflow. Choose ${EXPORT_MENU}. Paste the content of that file here.`;

/** How to get a workflow in API format where the node reads a file. */
export const EXPORT_FILE = `Open the workflow in a ComfyUI that has these nodes. Choose ${EXPORT_MENU}. Use that file.`;

/** What to do about a workflow without an output node. */
export const ADD_OUTPUT_NODE = 'Add Save Image, Preview Image, or another node that saves or shows a result.';

/** ComfyUI itself reports only the first missing node. */
export const CHECK_LISTS_ALL =
	'To list everything that is missing without running the workflow, use Comfy Manage Jobs and Queue > Workflow > Check.';

/** Why an expression inside a JSON text may break it, and what to write instead. */
export const QUOTES =
	'If an expression inserts a text, quotes or line breaks in that text can break the JSON. Use JSON.stringify without quotes around it: {"6": {"text": {{ JSON.stringify($json.prompt) }} } }.';

export const TO_EXPRESSION = 'select Expression instead of Fixed above the field';

/** For a workflow that contains an expression as plain text. */
export const orEvaluate = ` Or, to have n8n evaluate the workflow, ${TO_EXPRESSION}.`;

/** A value that contains a placeholder. @param fact what it contains. */
export const placeholderIn = (input: string, fact: string): string => `${input}: the value ${fact}`;

/** @param input begins with a capital letter. */
export const linkToMissing = (input: string, from: string): string =>
	`${input}: it is linked to node ${from}, which is not in the workflow`;

/** What to do about a JSON text that cannot be parsed. */
export const jsonAdvice = {
	expression: (expression: string): string =>
		`It contains the expression ${expression} as plain text. To have n8n evaluate it, ${TO_EXPRESSION}.`,
	backslash:
		'At this position is a backslash (\\). In JSON, write each backslash of a text twice, for example "models\\\\fox.safetensors".',
};

const quoted = (name: string): string => `"${name}"`;

const OWNERS = { own: 'This ComfyUI', service: 'The service' };
const ownerOf = (isOwnServer: boolean): string => OWNERS[isOwnServer ? 'own' : 'service'];

const missingFile = (isOwnServer: boolean, name: string, node: string, input: string): string =>
	`${ownerOf(isOwnServer)} does not have the file "${name}" that node ${node} uses in ${input}`;

const NOT_API_FORMAT = 'Workflow is in the editor format';

const USE_ORIGINAL = `${NOTHING_SENT} Use the original file from ComfyUI, or the JSON file of the workflow. Programs and chat services that shrink or convert images remove the workflow.`;

/** Workflows: where they come from, their conversion, and their rejection. */
export const workflow = defineMessages({
	WORKFLOW_EMPTY: () => ['Workflow is empty', 'Paste the workflow, or check that its expression finds one in the input item.'],
	SAVED_WORKFLOW_EMPTY: () => [
		'Saved Workflow is empty',
		`${NOTHING_SENT} Choose a workflow that is saved in ComfyUI, or check that the expression of By Name finds one. To use a workflow from a different source, change Workflow From.`,
	],
	WORKFLOW_NOT_JSON: (detail: string, advice: string) => [`Workflow is not valid JSON: ${detail}`, `${NOTHING_SENT} ${advice}`, QUOTES],
	/** @param outcome whether something was sent. */
	WORKFLOW_IN_EDITOR_FORMAT: (outcome: string) => [`${NOT_API_FORMAT}, which the server cannot run`, `${outcome} ${EXPORT_STEPS}`],
	WORKFLOW_NOT_IN_API_FORMAT: (detail: string) => [`Workflow is not in API format: ${detail}`, `${NOTHING_SENT} ${EXPORT_STEPS}`],
	/** @param more how many other problems there are. @param others one line for each of them. */
	WORKFLOW_NOT_CONVERTIBLE: (fact: string, more: string, advice: string, others: string[]) => [
		`Workflow cannot be converted: ${fact}${more}`,
		`${NOTHING_SENT} ${advice}`,
		...others,
	],
	CONVERSION_FAILED: () => [`${NOT_API_FORMAT} and cannot be converted`, `${NOTHING_SENT} ${EXPORT_FILE}`],
	CONVERSION_NEEDS_DEFINITIONS: () => [
		`${NOT_API_FORMAT} and cannot be converted, because this service does not provide node definitions`,
		`${NOTHING_SENT} ${EXPORT_FILE} Or convert it with Comfy Get Workflow: choose the credential of a ComfyUI that has these nodes, and turn on Convert To API Format.`,
	],
	CHECK_NEEDS_DEFINITIONS: () => [
		'Workflow cannot be checked, because this service does not provide node definitions',
		`${NOTHING_SENT} Choose the credential of a ComfyUI that has the same custom nodes and models. A deployment reports missing nodes and models when you run the workflow.`,
	],
	DEFINITIONS_NOT_READ: (reason: string) => [
		`${NOT_API_FORMAT}, and the node definitions of ComfyUI could not be read: ${reason}`,
		`${NOTHING_SENT} Check that ComfyUI is running, and run the item again. Or use the API format: ${EXPORT_FILE}`,
	],
	/**
	 * @param where the node, in brackets. @param more how many other problems there are.
	 * @param outcome whether something was sent. @param others more lines.
	 */
	NODE_MISSING: (isOwnServer: boolean, name: string, where: string, advice: string, outcome = '', more = '', others: string[] = []) => [
		`${ownerOf(isOwnServer)} does not have the node "${name}" that the workflow uses${where}${more}`,
		`${outcome} ${advice}`.trim(),
		...others,
	],
	/** @param names the first classes. @param others a line for each class, and more lines. */
	NODES_MISSING: (isOwnServer: boolean, count: number, names: string, advice: string, outcome = '', more = '', others: string[] = []) => [
		`${ownerOf(isOwnServer)} does not have ${count} nodes that the workflow uses: ${names}${more}`,
		`${outcome} ${advice}`.trim(),
		...others,
	],
	/** Newer versions of ComfyUI report only the title of the node. */
	NODE_MISSING_BY_TITLE: (nodes: string, title: string, advice: string) => [
		`This ComfyUI does not have one of the nodes ${nodes}: ComfyUI reports only the title "${title}", which these nodes share`,
		`${NO_JOB} ${advice}`,
	],
	NODE_CLASS_UNKNOWN: (name: string) => [
		`The server does not have the node class "${name}"`,
		'Correct the name under Classes. To list all classes, leave Classes empty.',
	],
	NODE_CLASS_MISSPELLED: (name: string, near: string[]) => [
		`The server does not have the node class "${name}"`,
		`Correct the name under Classes. Similar classes: ${joinNames(near)}.`,
	],
	/** @param input begins with a capital letter. @param outcome whether something was sent. */
	LINK_TO_MISSING_NODE: (input: string, from: string, outcome: string, others: string[]) => [
		linkToMissing(input, from),
		`${outcome} Link the input to a node of the workflow, or export the complete workflow again from ComfyUI.`,
		...others,
	],
	/** @param input begins with a capital letter. */
	PLACEHOLDER_NOT_REPLACED: (input: string, fact: string, evaluate: string, others: string[]) => [
		placeholderIn(input, fact),
		`${NOTHING_SENT} Add a row to Inputs for this input, and enter the value or an expression, for example {{ $json.prompt }}.${evaluate}`,
		...others,
	],
	OUTPUT_NODE_MISSING: () => [
		'The workflow has no output node (Prompt has no outputs)',
		`${NO_JOB} ${ADD_OUTPUT_NODE} Then export the workflow again.`,
	],
	INPUT_FILE_MISSING: (isOwnServer: boolean, name: string, node: string, input: string, send: string) => [
		missingFile(isOwnServer, name, node, input),
		`${NO_JOB} ${send}${isOwnServer ? ', or put it into the folder input of ComfyUI' : ''}.`,
	],
	MODEL_FILE_MISSING: (name: string, node: string, input: string, folder: string) => [
		missingFile(true, name, node, input),
		`${NO_JOB} Put it into ${folder}, or enter the name of a file that ComfyUI has. ${CHECK_LISTS_ALL}`,
	],
	MODEL_FILE_NOT_IN_SERVICE: (name: string, node: string, input: string) => [
		missingFile(false, name, node, input),
		`${NO_JOB} Open the workflow on the server, choose a file that the server has, and export the workflow again.`,
	],
	WORKFLOW_INPUT_REJECTED: (reason: string, choices: string) => [
		`The server rejected this workflow: ${reason}`,
		`${NO_JOB} Correct the inputs that this message names.${choices}`,
	],
	/** ComfyUI gives no details if nodes are linked in a circle. */
	WORKFLOW_REJECTED: (reason: string) => [
		`The server rejected this workflow: ${reason}`,
		`${NO_JOB} Open the workflow in ComfyUI and run it: ComfyUI shows the node that is not valid, or the nodes that are linked in a circle.`,
	],
	/** @param near similar names. */
	SAVED_WORKFLOW_NOT_FOUND: (name: string, near: string[]) => [
		`ComfyUI no longer has the saved workflow ${quoted(name)}`,
		`${NOTHING_SENT} Choose another workflow under Saved Workflow${near.length === 0 ? '' : `, for example ${near.map(quoted).join(', ')}`}, or save it in ComfyUI with that name again.`,
	],
	TEMPLATE_NOT_FOUND: (name: string) => [
		`ComfyUI has no template ${quoted(name)}`,
		`${NOTHING_SENT} Choose another template under Saved Workflow. The list of templates changes with the versions of ComfyUI and its custom nodes.`,
	],
	BLUEPRINT_NOT_FOUND: (name: string) => [
		`ComfyUI has no blueprint ${quoted(name)}`,
		`${NOTHING_SENT} Choose another blueprint under Saved Workflow. The list of blueprints changes with the versions of ComfyUI and its custom nodes.`,
	],
	/** @param detail half a sentence. */
	BLUEPRINT_NOT_VALID: (name: string, detail: string) => [
		`The blueprint ${quoted(name)} cannot be used: ${detail}`,
		`${NOTHING_SENT} In ComfyUI, publish the subgraph again as a blueprint, or choose another one under Saved Workflow.`,
	],
	BLUEPRINT_WITHOUT_OUTPUT: (name: string) => [
		`The blueprint ${quoted(name)} saves and shows nothing: it has no output node, and no output that is an image, a video, audio or a text`,
		`${NOTHING_SENT} In ComfyUI, use the blueprint in a workflow, link its outputs to other nodes, and save that workflow. Then choose the workflow under Saved Workflow.`,
	],
	SAVED_WORKFLOW_NAME_SHARED: (name: string, paths: string[]) => [
		`ComfyUI has several saved workflows with the name ${quoted(name)}`,
		`${NOTHING_SENT} Under Saved Workflow, enter the name with its folder: ${paths.map(quoted).join(', ')}.`,
	],
	SAVED_WORKFLOW_TOO_LARGE: (reason: string) => [
		`The saved workflow is too large: ${reason}`,
		`${NOTHING_SENT} Open it in ComfyUI, remove large data that it does not need (for example images in notes), and save it again.`,
	],
	/** The service has no saved workflows that can be read. */
	SAVED_WORKFLOWS_NOT_AVAILABLE: () => [
		'This service has no saved workflows that the node can read',
		`${NOTHING_SENT} Set Workflow From to JSON or File, or choose the credential of your own ComfyUI.`,
	],
	SAVED_WORKFLOWS_OF_USERS: () => [
		'This ComfyUI was started with --multi-user and stores the workflows of each user separately',
		'In the Comfy Self-Hosted API credential, set Sign-In to ComfyUI User and enter the name of the user. You can also set Workflow From to JSON or File.',
	],
	/** The job is unknown, or its retention time is over. */
	JOB_WORKFLOW_NOT_FOUND: (jobId: string) => [
		`The server does not have the workflow of job ${jobId}`,
		`${NOTHING_SENT} Choose another job under Job. The server keeps jobs only for a limited time.`,
	],
	/** Other programs, for example Stable Diffusion WebUI, also write their settings into images. */
	IMAGE_OF_OTHER_PROGRAM: (field: string) => [
		`The image in the field ${quoted(field)} contains the settings of a different program (for example Stable Diffusion WebUI), not a ComfyUI workflow`,
		`${NOTHING_SENT} Use an image that ComfyUI saved, or a workflow file.`,
	],
	FILE_WITHOUT_WORKFLOW: (field: string, kind: string) => [
		`The file in the field ${quoted(field)} (${kind}) does not contain a workflow`,
		USE_ORIGINAL,
	],
	/** @param reason as half a sentence. */
	WORKFLOW_IN_FILE_NOT_READ: (field: string, kind: string, reason: string) => [
		`The workflow in the file of the field ${quoted(field)} (${kind}) cannot be read: ${reason}`,
		USE_ORIGINAL,
	],
	/** A hint. @param label of the input that loads an image. */
	IMAGE_NOT_USED: (field: string, label: string, value: string) => [
		`The item has an image in the field ${quoted(field)}, but the workflow does not use it: ${label} loads ${quoted(value)}`,
		'To use the image, add a row to Files in Comfy Run Workflow.',
	],
	OUTPUTS_TITLE_SHARED: (name: string, ids: string[]) => [
		`Outputs contains "${name}", and several nodes of the workflow have this title`,
		`${NOTHING_SENT} Choose the node from the list under Outputs, or enter its ID: ${ids.join(', ')}.`,
	],
	/** @param nodes of the workflow, in one line. */
	OUTPUTS_NODE_UNKNOWN: (name: string, nodes: string) => [
		`Outputs contains "${name}", which is not a node of the workflow`,
		`${NOTHING_SENT} Choose a node under Outputs${nodes === '' ? '' : `: ${nodes}`}. If Outputs is empty, the node returns all outputs.`,
	],
});

/** What a rejected input accepts. */
export const acceptedValues = (input: string, values: string): string => ` ${input} accepts: ${values}.`;

export const correctClass = 'If the name is misspelled, correct class_type in the workflow.';

/** How to send an input file. */
export const sendFile = {
	rowOfFiles: 'Send it in a row of Files',
	uploadAsset: 'Send it with Comfy Upload Asset before this node, and enter its reference under Input Files',
};

/** Notices in place of the list of saved workflows. */
export const NO_SAVED_YET = 'ComfyUI has no saved workflows yet. Open a workflow in ComfyUI, choose Save, then search again.';
export const NOTHING_TO_LIST =
	'ComfyUI has no saved workflows and no templates yet. Open a workflow in ComfyUI, choose Save, then search again.';
export const KEPT_BY_NO_DEPLOYMENT =
	'A deployment has no saved workflows. Choose the credential of your own ComfyUI or of the hosted service, or set Workflow From to JSON or File.';
