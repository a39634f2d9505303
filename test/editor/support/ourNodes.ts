export interface OurNode {
	/** As the list of nodes shows it. */
	name: string;
	type: string;
	/** One of those that its details in the list offer, where they offer some. */
	action?: string;
}

export const TRIGGER: OurNode = { name: 'Comfy Progress', type: 'comfyProgressTrigger', action: 'On milestones' };
export const RUN: OurNode = { name: 'Comfy Run Workflow', type: 'comfyRunWorkflow' };
export const SUBMIT: OurNode = { name: 'Comfy Submit Workflow', type: 'comfySubmitWorkflow' };
export const WAIT: OurNode = { name: 'Comfy Wait For Job', type: 'comfyWaitForJob' };
export const DOWNLOAD: OurNode = { name: 'Comfy Download Outputs', type: 'comfyDownloadOutputs' };
/** With the list of jobs chosen at once. */
export const LIST_JOBS: OurNode = { name: 'Comfy Manage Jobs and Queue', type: 'comfyManageJobs', action: 'Get many jobs' };

export const RUN_MODEL: OurNode = { name: 'Comfy Run Router Model', type: 'comfyRunRouterModel', action: 'Run model' };

export const OUR_NODES: OurNode[] = [
	TRIGGER,
	RUN,
	{ name: 'Comfy Upload Asset', type: 'comfyUploadAsset', action: 'Upload asset' },
	SUBMIT,
	WAIT,
	{ name: 'Comfy Get Workflow', type: 'comfyGetWorkflow' },
	DOWNLOAD,
	{ name: 'Comfy Manage Jobs and Queue', type: 'comfyManageJobs', action: 'Get job' },
	RUN_MODEL,
];
