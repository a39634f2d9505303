import type { INodeProperties } from 'n8n-workflow';

import { toolDescription } from '../shared/descriptions/asTool';
import { showForResource } from '../shared/descriptions/common';

const forOperation = (resource: string, operation: string, text: string): INodeProperties =>
	toolDescription(text, showForResource(resource, operation).show);

/** The text that the model reads about each operation if the node is a tool. */
export const toolDescriptions: INodeProperties[] = [
	forOperation(
		'job',
		'get',
		'Looks at a ComfyUI job as it stands, without waiting. Give the job_id exactly as another tool has answered it. Answers JSON: status, and the outputs with name, type, size and, of texts, the text. With status queued or running the job goes on: look again later. It makes no new job and costs nothing.',
	),
	forOperation(
		'job',
		'getAll',
		'Lists ComfyUI jobs, newest first. Answers JSON: job_id, status and times of each, and under made_by, where it is known, which n8n workflow, execution, node and item made it; what a job has made is told by a tool that looks at one job.',
	),
	forOperation(
		'job',
		'cancel',
		'Stops one ComfyUI job. Give the job_id exactly as another tool has answered it. Answers JSON: its status, and cancel_confirmed, which is true once it has stopped. What it has made so far is lost: use it only when the person wants that.',
	),
	forOperation(
		'nodeDefinition',
		'getAll',
		'Reads what ComfyUI node classes take and give: their inputs with types, ranges and choices. The answer may be long.',
	),
	forOperation(
		'queue',
		'get',
		'Tells which ComfyUI jobs run and which wait, whoever submitted them. Answers JSON with the job_id of each.',
	),
	forOperation(
		'queue',
		'delete',
		'Takes waiting ComfyUI jobs out of the queue, so that they never run. Give their job_id. Use it only when the person wants that.',
	),
	forOperation(
		'queue',
		'interrupt',
		'Stops EVERY running ComfyUI job of the account or server, whoever submitted it. Use it only when the person wants exactly that.',
	),
	forOperation(
		'workflow',
		'check',
		'Checks whether a ComfyUI workflow can run on this server, without running it. Answers JSON: can_run, a summary, and which node classes, model files and input files are missing, each with what to do about it. It makes no job and costs nothing.',
	),
	forOperation(
		'workflow',
		'getAll',
		'Lists the workflows and apps that are saved in ComfyUI, newest first. Answers JSON: name, folder, path, is_app and modified_at of each; path is what a tool that runs a saved workflow takes. It makes no job and costs nothing.',
	),
];
