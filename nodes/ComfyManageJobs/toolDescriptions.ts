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
		'Gets the current status of a ComfyUI job without waiting. Enter the job_id exactly as another tool returned it. Returns JSON: status, and the outputs with name, type and size. Text outputs include their text. If the status is queued or running, the job is not finished: call this tool again later. It creates no new job and costs nothing.',
	),
	forOperation(
		'job',
		'getAll',
		'Lists ComfyUI jobs, newest first. Returns JSON for each job: job_id, status and times. If it is known, made_by contains the n8n workflow, execution, node and item that created the job. To get the outputs of a job, use a tool that gets one job.',
	),
	forOperation(
		'job',
		'cancel',
		'Stops one ComfyUI job. Enter the job_id exactly as another tool returned it. Returns JSON: the status, and cancel_confirmed, which is true if the job stopped. Unfinished results are lost. Use this tool only if the user requests it.',
	),
	forOperation(
		'nodeDefinition',
		'getAll',
		'Gets the definitions of ComfyUI node classes: their outputs, and their inputs with types, ranges and choices. The response may be long.',
	),
	forOperation(
		'queue',
		'get',
		'Lists all running and waiting ComfyUI jobs, including jobs from other users and programs. Returns JSON with the job_id of each job, and its server if there are several.',
	),
	forOperation(
		'queue',
		'delete',
		'Removes waiting ComfyUI jobs from the queue, so that they never run. Enter their job_id. Use this tool only if the user requests it.',
	),
	forOperation(
		'queue',
		'interrupt',
		'Stops EVERY running ComfyUI job of the account or of all servers, including jobs from other users and programs. Use this tool only if the user requests exactly that.',
	),
	forOperation(
		'server',
		'clearHistory',
		'Removes finished ComfyUI jobs from the history of the server, so that other tools cannot read them any more. Their files remain. Use this tool only if the user requests it.',
	),
	forOperation(
		'server',
		'freeMemory',
		'Unloads the models of ComfyUI from memory, for example before another program uses the GPU. Returns JSON with the free memory in bytes before and after. The field freed is "now", or "after_current_job" if a job is running. The field is_final is false if the free memory may still change. The next job is slower, because it loads its models again.',
	),
	forOperation(
		'server',
		'getInfo',
		'Gets information about the ComfyUI server, or about each server if there are several. Returns JSON: versions, devices, free and total memory in bytes, and the number of running and queued jobs. It creates no job and costs nothing.',
	),
	forOperation(
		'server',
		'getAllModels',
		'Lists the model files of ComfyUI: the checkpoints, LoRAs and other models that a workflow can use. Enter a folder, for example loras, and words of the name. Returns JSON for each model: name, folder, size_bytes and modified_at, and its server if there are several. To use a model with a tool that runs a workflow, pass its name exactly as it is. It creates no job and costs nothing.',
	),
	forOperation(
		'workflow',
		'check',
		'Checks whether a ComfyUI workflow can run on this server, without running it. Returns JSON: can_run, a summary, and the missing node classes, model files and input files, each with advice. It creates no job and costs nothing.',
	),
	forOperation(
		'workflow',
		'getAll',
		'Lists the workflows and apps that are saved in ComfyUI, newest first. Returns JSON for each workflow: name, folder, path, is_app and modified_at. To run a saved workflow with another tool, use its path. It creates no job and costs nothing.',
	),
];
