import { MAY_STAY_OPEN } from './common';

/**
 * What n8n's AI builder reads when it chooses and connects our nodes. People do not see it. Older versions of n8n ignore it, and
 * their types do not have it.
 */
interface BuilderHint {
	searchHint: string;
	relatedNodes: Array<{ nodeType: string; relationHint: string }>;
}

const STILL_RUNNING = `Output 1 (Still Running) returns jobs that take longer than Max Wait. ${MAY_STAY_OPEN}.`;

const related = (node: string, relationHint: string): BuilderHint['relatedNodes'][number] => ({
	nodeType: `n8n-nodes-comfy.${node}`,
	relationHint,
});

const hints = {
	comfyRunWorkflow: {
		searchHint: `This node submits the job, waits for it and downloads its files, so it needs no other Comfy node. Output 0 (Done) returns an item for each file. ${STILL_RUNNING} To use a workflow that the user gives as JSON, set workflowSource to json.`,
		relatedNodes: [related('comfyWaitForJob', 'Continues to wait for jobs: connect output 1 (Still Running) to it')],
	},
	comfySubmitWorkflow: {
		searchHint:
			'This node does not wait, and returns job_id at once. To get the files in the same workflow, use Comfy Run Workflow instead. To use a workflow that the user gives as JSON, set workflowSource to json.',
		relatedNodes: [
			related('comfyWaitForJob', 'Waits until the job finishes: connect it behind this node'),
			related('comfyRunWorkflow', 'Submits, waits and downloads in one node'),
		],
	},
	comfyWaitForJob: {
		searchHint: `This node waits for the job with the job_id of its item. Output 0 (Done) returns the job without its files. ${STILL_RUNNING} Do not connect it to output 0 (Done) of Comfy Run Workflow, which has already waited.`,
		relatedNodes: [
			related('comfyDownloadOutputs', 'Downloads the files of the job: connect output 0 (Done) to it'),
			related('comfyRunWorkflow', 'Its output 1 (Still Running) returns jobs for this node'),
			related('comfySubmitWorkflow', 'Submits the job for this node'),
		],
	},
	comfyDownloadOutputs: {
		searchHint:
			'This node downloads the files of a finished job with the job_id of its item. It is not necessary behind output 0 (Done) of Comfy Run Workflow, which returns the files.',
		relatedNodes: [related('comfyWaitForJob', 'Waits until the job finishes: connect its output 0 (Done) to this node')],
	},
	comfyUploadAsset: {
		searchHint:
			'Comfy Run Workflow and Comfy Submit Workflow upload input files themselves. Use this node only if several jobs use the same file, or to upload a mask. Its field reference is the value for the input of the workflow.',
		relatedNodes: [related('comfyRunWorkflow', 'Uses the field reference as the value of an input')],
	},
} satisfies Record<string, BuilderHint>;

/** Returns the hint as a part of the description of a node. */
export const builderHintOf = (node: keyof typeof hints): { builderHint: BuilderHint } => ({ builderHint: hints[node] });
