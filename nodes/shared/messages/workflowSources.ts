import { isRecord } from '../../../client';
import { ItemFault } from '../itemFault';
import { EXPORT_FILE } from './conversion';
import { NOTHING_SENT, type Sentence, type Sentences, shorten } from './words';

/** Faults of workflows from a server, a file or a job. */

const LONGEST_NAME = 200;
const quoteName = (name: string): string => `"${shorten(name, LONGEST_NAME)}"`;

/** A deployment has no definitions of its nodes. */
export const noDefinitions = (): ItemFault =>
	new ItemFault(
		'Workflow is in the editor format and cannot be converted, because this service does not provide node definitions',
		`${NOTHING_SENT} ${EXPORT_FILE} Or convert it with Comfy Get Workflow: choose the credential of a ComfyUI that has these nodes, and turn on Convert To API Format.`,
	);

export const noDefinitionsToCheck = (): ItemFault =>
	new ItemFault(
		'Workflow cannot be checked, because this service does not provide node definitions',
		`${NOTHING_SENT} Choose the credential of a ComfyUI that has the same custom nodes and models. A deployment reports missing nodes and models when you run the workflow.`,
	);

/** @param said the message of the error. */
export const definitionsUnread = (said: string): ItemFault =>
	new ItemFault(
		`Workflow is in the editor format, and the node definitions of ComfyUI could not be read: ${said}`,
		`${NOTHING_SENT} Check that ComfyUI is running, and run the item again. Or use the API format: ${EXPORT_FILE}`,
	);

/** @param near similar names of saved workflows. */
const savedWorkflowGone = (name: string, near: string[]): ItemFault =>
	new ItemFault(
		`ComfyUI no longer has the saved workflow ${quoteName(name)}`,
		`${NOTHING_SENT} Choose another workflow under Saved Workflow${near.length === 0 ? '' : `, for example ${near.slice(0, 3).map(quoteName).join(', ')}`}, or save it in ComfyUI with that name again.`,
	);

/** The service has no saved workflows that can be read. */
export const noLibrary = (): ItemFault =>
	new ItemFault(
		'This service has no saved workflows that the node can read',
		`${NOTHING_SENT} Set Workflow From to JSON or File, or choose the credential of your own ComfyUI.`,
	);

/** The job is unknown, or its retention time is over. */
export const jobGone = (jobId: string): ItemFault =>
	new ItemFault(
		`The service does not have the workflow of job ${shorten(jobId, LONGEST_NAME)}`,
		`${NOTHING_SENT} Choose another job under Job. The service keeps jobs only for a limited time.`,
	);

/** Other programs, for example Stable Diffusion WebUI, also write their settings into images. */
export const foreignPicture = (field: string): ItemFault =>
	new ItemFault(
		`The image in the field ${quoteName(field)} contains the settings of a different program (for example Stable Diffusion WebUI), not a ComfyUI workflow`,
		`${NOTHING_SENT} Use an image that ComfyUI saved, or a workflow file.`,
	);

/** @param why the workflow cannot be read, as half a sentence. Undefined if the file has none. */
export const noWorkflowInFile = (field: string, kind: string, why?: string): ItemFault =>
	new ItemFault(
		why === undefined
			? `The file in the field ${quoteName(field)} (${kind}) does not contain a workflow`
			: `The workflow in the file of the field ${quoteName(field)} (${kind}) cannot be read: ${shorten(why, LONGEST_NAME)}`,
		`${NOTHING_SENT} Use the original file from ComfyUI, or the JSON file of the workflow. Programs and chat services that shrink or convert images remove the workflow.`,
	);

/** @param label of the input that loads an image. */
export const unusedImageHint = (field: string, label: string, value: string): string =>
	`The item has an image in the field ${quoteName(field)}, but the workflow does not use it: ${label} loads ${quoteName(value)}. To use the image, add a row to Files in Comfy Run Workflow.`;

const MOST_NAMES = 5;

const namesIn = (details: unknown, field: string): string[] => {
	const names = isRecord(details) ? details[field] : undefined;
	return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string').slice(0, MOST_NAMES) : [];
};

const toSentence = ({ message, advice }: ItemFault): ReturnType<Sentence> => [message, advice];

/** Messages by error code of saved workflows and templates. */
export const savedWorkflowSentences: Sentences = {
	workflow_not_found: ({ message, details }) => toSentence(savedWorkflowGone(message, namesIn(details, 'near'))),
	template_not_found: ({ message }) => [
		`ComfyUI has no template ${quoteName(message)}`,
		`${NOTHING_SENT} Choose another template under Saved Workflow. The list of templates changes with the versions of ComfyUI and its custom nodes.`,
	],
	workflow_ambiguous: ({ message, details }) => [
		`ComfyUI has several saved workflows with the name ${quoteName(message)}`,
		`${NOTHING_SENT} Under Saved Workflow, enter the name with its folder: ${namesIn(details, 'paths').map(quoteName).join(', ')}.`,
	],
	workflow_too_large: ({ message }) => [
		`The saved workflow is too large: ${message}`,
		`${NOTHING_SENT} Open it in ComfyUI, remove large data that it does not need (for example images in notes), and save it again.`,
	],
	no_library: () => toSentence(noLibrary()),
	many_users: () => [
		'This ComfyUI was started with --multi-user and stores the workflows of each user separately',
		'In the Comfy Self-Hosted API credential, set Sign-In to ComfyUI User and enter the name of the user. You can also set Workflow From to JSON or File.',
	],
};

/** Notices in place of the list of saved workflows. */
export const NO_SAVED_YET = 'ComfyUI has no saved workflows yet. Open a workflow in ComfyUI, choose Save, then search again.';
export const NOTHING_TO_LIST =
	'ComfyUI has no saved workflows and no templates yet. Open a workflow in ComfyUI, choose Save, then search again.';
export const KEPT_BY_NO_DEPLOYMENT =
	'A deployment has no saved workflows. Choose the credential of your own ComfyUI or of the hosted service, or set Workflow From to JSON or File.';
