/** The sections of docs/troubleshooting.md, by what the user was doing when the message appeared. */
interface MessageGroup {
	heading: string;
	/** How the locations of its messages begin: files below `nodes/`, with `#` and an error code or a name if a file has several groups. */
	locations: readonly string[];
}

const SERVICE = 'shared/messages/tables/service#';
const WORDS = 'shared/messages/wordsFor#';
const GRAPH = 'shared/messages/graph#';

const ofService = (...codes: string[]): string[] => codes.map((code) => SERVICE + code);

/** A message belongs to the first group that has its location. */
export const MESSAGE_GROUPS: readonly MessageGroup[] = [
	{ heading: 'Stop an execution or shut down n8n', locations: ['shared/messages/stopping', `${WORDS}wordsOf`] },
	{
		heading: 'Run a router model',
		locations: [
			'ComfyRunRouterModel/',
			'shared/messages/tables/router',
			'shared/messages/unknownOutcome#inputIsGone',
			'shared/messages/unknownOutcome#keyTakenWords',
			'shared/messages/unknownOutcome#lostRunWords',
		],
	},
	{
		heading: 'Manage your ComfyUI',
		locations: [
			'shared/messages/maintenance',
			'shared/messages/pool#unknownServer',
			'shared/messages/pool#otherServerEntered',
			'ComfyManageJobs/onServers',
			'ComfyManageJobs/server/',
		],
	},
	{ heading: 'Use the trigger', locations: ['ComfyProgressTrigger/', ...ofService('no_job_list')] },
	{
		heading: 'Download files',
		locations: [
			'shared/messages/connection#too_slow',
			'shared/messages/tables/job',
			'shared/files/storeFile',
			'shared/jobs/download/',
			'ComfyDownloadOutputs/',
			'ComfyRunWorkflow/outputs',
			...ofService('output_unavailable'),
			`${WORDS}integrityWords`,
		],
	},
	{
		heading: 'Wait for a job and list jobs',
		locations: [
			'ComfyWaitForJob/',
			'ComfyManageJobs/job/',
			'shared/messages/jobList',
			'shared/messages/lostServer',
			'shared/messages/waiting',
			'shared/jobs/jobItems',
			...ofService('jobNotFound', 'jobs_not_listed', 'invalid_cursor', 'made_by_not_kept', 'upstream_unreachable', 'too_many_streams'),
		],
	},
	{
		heading: 'Connect to a server',
		locations: [
			'shared/messages/connection',
			'shared/messages/otherServer',
			'shared/messages/moreServers',
			'shared/messages/signIn',
			'shared/connect/',
			'shared/moreServers',
			'shared/signIn',
			'shared/credentials',
			'shared/workflows/inEditor',
			...ofService('unauthorized', 'forbidden', 'rate_limited', 'not_implemented'),
		],
	},
	{
		heading: 'Enter inputs and files',
		locations: [
			...['unknown_node', 'ambiguous_title', 'unknown_input', 'lost_digits', 'bad_values'].map((fault) => GRAPH + fault),
			'shared/messages/graphInputs',
			'shared/messages/app',
			'shared/messages/webFile',
			'shared/inputs/',
			'shared/inputFiles/',
			'shared/app/',
			'shared/files/',
			'ComfyUploadAsset/',
			...ofService('missing_asset', 'hash_mismatch', 'blob_not_found', 'payload_too_large', 'original_not_found', 'asset_in_use'),
		],
	},
	{
		heading: 'Choose a workflow',
		locations: [
			GRAPH,
			'shared/messages/workflowSources',
			'shared/messages/conversion',
			'shared/messages/missingClasses',
			'shared/messages/check',
			'shared/messages/invalidWorkflow#missingClass',
			'shared/workflows/',
			'ComfyGetWorkflow/',
			'ComfyManageJobs/nodeDefinition/',
			...ofService('workflow_format_ui'),
		],
	},
	{
		heading: 'Submit a job',
		locations: [
			'shared/messages/unknownOutcome',
			'shared/messages/invalidWorkflow',
			'shared/messages/nodeReasons',
			'shared/messages/pool',
			'shared/submission/',
			'shared/jobs/submit/',
			'ComfySubmitWorkflow/',
			SERVICE,
			WORDS,
		],
	},
	{ heading: 'Edit options and other fields', locations: [''] },
];

/** The order of the sections on the page. */
export const HEADINGS: readonly string[] = [
	'Connect to a server',
	'Choose a workflow',
	'Enter inputs and files',
	'Submit a job',
	'Wait for a job and list jobs',
	'Download files',
	'Manage your ComfyUI',
	'Stop an execution or shut down n8n',
	'Run a router model',
	'Use the trigger',
	'Edit options and other fields',
];
