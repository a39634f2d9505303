import { count, defineMessages, joinNames, NOTHING_SENT, type Words } from '../words';

/** What an operation does, for messages. */
export type ServerTask = 'clear the history' | 'free memory' | 'report its versions and memory' | 'list models';

/** @param at the address with ` at ` in front of it. Empty if there is only one server. */
const notFreed = (at: string): string => `The memory of ComfyUI${at} was not freed`;

/** Operations on the server itself: its memory, its models, its history and its log. */
export const server = defineMessages({
	/** The hosted service and deployments do not give access to the ComfyUI that they run. */
	NEEDS_OWN_COMFYUI: (task: ServerTask) => [
		`This service cannot ${task}: only a ComfyUI of your own can`,
		`${NOTHING_SENT} At the top of the node, choose the Comfy Self-Hosted API credential of your ComfyUI.`,
	],
	COMFYUI_TOO_OLD: (task: ServerTask) => [
		`This ComfyUI cannot ${task}, because it does not have this function`,
		'Update ComfyUI. If a reverse proxy is in front of ComfyUI, check that the proxy allows all of its routes.',
	],
	SERVER_LOG_CLOSED: () => [
		'This ComfyUI does not return its log',
		'Update ComfyUI. If a reverse proxy is in front of ComfyUI, check that the proxy allows /internal/logs/raw, which is not below /api.',
	],
	/** v1 and the hosted service have no logs. In a pool, the server of a lost job is unknown. */
	JOB_LOG_MISSING: (jobId: string) => [
		`The server has no log of job ${jobId}`,
		'Deployments and a ComfyUI of your own have logs, as long as they know the job. If the job failed, Job: Get returns its error in job_error.',
	],
	/** A hint. */
	JOB_LOG_EMPTY: (jobId: string) => [`The log of job ${jobId} is empty`, 'If the job has not finished, run this operation again later.'],
	/** @param folders similar ones, or the first ones. */
	MODEL_FOLDER_UNKNOWN: (folder: string, known: string[]) => [
		`ComfyUI has no folder of models with the name "${folder}"`,
		`Choose another folder under Folder. ComfyUI has these folders: ${joinNames(known, 40)}.`,
	],
	MODEL_FOLDER_MISSPELLED: (folder: string, near: string[]) => [
		`ComfyUI has no folder of models with the name "${folder}"`,
		`Choose another folder under Folder. Similar folders: ${joinNames(near)}.`,
	],
	/** A hint. */
	MEMORY_NOT_FREED_IN_TIME: (at: string) => [
		`${notFreed(at)}, because ComfyUI did not respond in time`,
		'Run the node again when it responds.',
	],
	/** A hint. */
	MEMORY_NOT_FREED: (at: string, { message, advice }: Words) => [`${notFreed(at)}: ${message}`, advice],
	/** A hint. */
	MEMORY_MANAGED_BY_SERVICE: (credential: string) => [
		`The service of the ${credential} credential manages its memory itself, so Free Memory Afterwards has no effect`,
		'Remove the option.',
	],
	/** A hint. */
	MEMORY_IN_USE: (others: number, at: string, option: string) => [
		`${notFreed(at)}, because ${count(others, 'job is', 'jobs are')} still queued or running`,
		`To free it in this case too, turn on ${option}.`,
	],
	/** A hint. */
	MEMORY_NOT_STEADY: (seconds: number, at: string, option: string) => [
		`The free memory of ComfyUI${at} was not steady within ${seconds} s`,
		`If another program has too little memory, raise ${option} in Options.`,
	],
});

/** Notice in place of the list of folders. */
export const NO_MODEL_FOLDERS =
	'Only a ComfyUI of your own has folders of models. At the top of the node, choose its Comfy Self-Hosted API credential.';
