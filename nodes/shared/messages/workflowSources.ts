import { isRecord } from '../../../client';
import { ItemFault } from '../itemFault';
import { EXPORT_MENU } from './conversion';
import { type Sentence, type Sentences, shorten } from './words';

/** Faults of workflows from a server, a file or a job. */

const NOTHING = 'Nothing was sent.';
const LONGEST_NAME = 200;
const quoteName = (name: string): string => `"${shorten(name, LONGEST_NAME)}"`;

/** A deployment has no definitions of its nodes. */
export const noDefinitions = (): ItemFault =>
	new ItemFault(
		'Workflow is in the editor’s own format, and this service does not tell what its nodes take, so that it cannot be converted here',
		`${NOTHING} In ComfyUI open the workflow, choose ${EXPORT_MENU}, and use that file. Or let a ComfyUI that tells it convert the workflow: Comfy Get Workflow with another credential and Convert To API Format.`,
	);

export const noDefinitionsToCheck = (): ItemFault =>
	new ItemFault(
		'Workflow cannot be checked here: this service does not tell what its nodes take',
		'Nothing was sent. Check it with the credential of a ComfyUI that has the same custom nodes and models; a deployment says at Run what it lacks.',
	);

/** @param said the message of the error. */
export const definitionsUnread = (said: string): ItemFault =>
	new ItemFault(
		`Workflow is in the editor’s own format, and what its nodes take could not be read from ComfyUI: ${said}`,
		`${NOTHING} Check that ComfyUI runs, and run the item again. Or choose ${EXPORT_MENU} in ComfyUI and use that file.`,
	);

/** @param near similar names of saved workflows. */
const savedWorkflowGone = (name: string, near: string[]): ItemFault =>
	new ItemFault(
		`ComfyUI has no saved workflow ${quoteName(name)} any more`,
		`${NOTHING} Choose another under Saved Workflow${near.length === 0 ? '' : `, e.g. ${near.slice(0, 3).map(quoteName).join(', ')}`}, or save it again in ComfyUI under that name.`,
	);

/** The service has no saved workflows that can be read. */
export const noLibrary = (): ItemFault =>
	new ItemFault(
		'This service keeps no saved workflows that can be read from here',
		`${NOTHING} Set Workflow From to JSON or File, or choose a credential of a ComfyUI of your own.`,
	);

/** The job is unknown, or its retention time is over. */
export const jobGone = (jobId: string): ItemFault =>
	new ItemFault(
		`The service has no job ${shorten(jobId, LONGEST_NAME)} whose workflow could be run again`,
		`${NOTHING} Choose another under Job: the service keeps jobs for some time only.`,
	);

/** Other programs, for example Stable Diffusion WebUI, write their settings into images too. */
export const foreignPicture = (field: string): ItemFault =>
	new ItemFault(
		`The picture in the field ${quoteName(field)} was not made by ComfyUI: it tells the settings of another program (Stable Diffusion WebUI or its like), which is no workflow`,
		`${NOTHING} Use a picture that ComfyUI itself has saved, or a workflow file.`,
	);

/** @param why the workflow cannot be read, as half a sentence. Undefined if the file has none. */
export const noWorkflowInFile = (field: string, kind: string, why?: string): ItemFault =>
	new ItemFault(
		why === undefined
			? `The file in the field ${quoteName(field)} (${kind}) carries no workflow`
			: `The workflow in the file of the field ${quoteName(field)} (${kind}) cannot be read: ${shorten(why, LONGEST_NAME)}`,
		`${NOTHING} Use a file as ComfyUI has saved it: programs and chat services that shrink or convert pictures take the workflow out of them. Or use the workflow’s own JSON file.`,
	);

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
		'Nothing was sent. Templates come and go with versions of ComfyUI and its custom nodes: choose again under Saved Workflow.',
	],
	workflow_ambiguous: ({ message, details }) => [
		`ComfyUI has several saved workflows called ${quoteName(message)}`,
		`Nothing was sent. Name one of them with its folder under Saved Workflow: ${namesIn(details, 'paths').map(quoteName).join(', ')}.`,
	],
	workflow_too_large: ({ message }) => [
		`The saved workflow is too large: ${message}`,
		'Nothing was sent. Open it in ComfyUI, take out what it carries beside its nodes (pictures in notes, for example), and save it again.',
	],
	no_library: () => toSentence(noLibrary()),
	many_users: () => [
		'This ComfyUI was started with --multi-user and keeps the workflows of each user apart',
		'Let a reverse proxy in front of it add the header comfy-user with the id of the user whose workflows are wanted, start ComfyUI without --multi-user, or set Workflow From to JSON or File.',
	],
};

/** Notices in place of the list of saved workflows. */
export const NO_SAVED_YET = 'No workflow is saved in ComfyUI yet. Open one there, choose Save, then search here again.';
export const NOTHING_TO_LIST =
	'No workflow is saved in ComfyUI yet, and it brings no templates. Open a workflow there, choose Save, then search here again.';
export const KEPT_BY_NO_DEPLOYMENT =
	'A deployment keeps no saved workflows. Choose a credential of a ComfyUI of your own or of the hosted service, or set Workflow From to JSON or File.';
