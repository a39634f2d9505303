import type { ApiError } from '../../../../client';
import { EXPORT_STEPS } from '../conversion';
import { invalidWorkflowWords } from '../invalidWorkflow';
import { madeByNotKeptWords } from '../jobList';
import { type CredentialWords, fieldOf, NO_JOB, OUTPUT_GONE, type Sentence, type Sentences } from '../words';
import { savedWorkflowSentences } from '../workflowSources';

const BY_ID = 'If you have the ID of the job, choose By ID: it needs no list.';
const LOWER_OR_LATER = 'Lower Concurrency, or run the item again later.';
const PROXY_LIMIT = 'If a reverse proxy is in front of the server, raise its limit as well (nginx: client_max_body_size, 1 MB by default).';

const notFound =
	(thing: string, why: string): Sentence =>
	() => [`The service has no ${thing} with this ID`, why];

/** Messages by error code, for codes that all interfaces share. */
const commonSentences: Sentences = {
	invalid_workflow: invalidWorkflowWords,
	insufficient_credits: () => [
		'The account does not have enough credits for this job',
		`${NO_JOB} Add credits to the account, then run the item again.`,
	],
	not_found: notFound('entry', 'Check the ID. The entry may belong to another account or server, or its retention time may be over.'),
	unauthorized: (_, { name, secret, isOwnServer }) => [
		`The service did not accept the ${secret}`,
		`Check ${fieldOf(secret, name)}: it may be misspelled, deleted, or for a different address.${isOwnServer ? ' For the hosted service or a deployment, use the credential Comfy API.' : ''}`,
	],
	forbidden: (_, { name }) => [
		'The service does not allow this action for this account',
		`The job or file may belong to another account. If it is yours, check in your account whether the subscription is active, and what the key of the ${name} credential allows.`,
	],
	upstream_error: (error) => [`The service could not run this request: ${error.message}`, 'The cause is in the service. Try again later.'],
	invalid_request: (error) => [`The service rejected the request: ${error.message}`, 'Check the fields of this node.'],
};

const formatSpan = (ms: number): string => (ms < 120_000 ? `${Math.round(ms / 1_000)} seconds` : `${Math.round(ms / 60_000)} minutes`);

/** Returns how long the node has waited, and how many of its jobs the service had. */
function describeWait({ refusedWith }: ApiError): string {
	if (refusedWith === undefined || refusedWith.forMs === 0) return '';
	const count = refusedWith.inFlight === 0 ? 'no' : String(refusedWith.inFlight);
	const jobs = refusedWith.inFlight > 1 ? 'jobs' : 'job';
	return `: it accepted no job for ${formatSpan(refusedWith.forMs)}, with ${count} ${jobs} of this node waiting or running`;
}

const busyAdvice = ({ refusedWith }: ApiError, { isRunNode }: CredentialWords): string =>
	`${NO_JOB} Raise ${refusedWith?.field ?? (isRunNode ? 'Max Wait (Minutes)' : 'Keep Trying For (Seconds)')}, lower Concurrency, or run the item again later.`;

const JOB_NOT_FOUND = 'The service has no job with this ID';

const jobNotFound: Sentence = (_, { isRunNode }) => [
	JOB_NOT_FOUND,
	`${isRunNode ? '' : 'Check Job ID. '}The job may belong to another account or server, or its retention time may be over.`,
];

/** Messages by error code of the v2 interface. */
export const v2Sentences: Sentences = {
	...commonSentences,
	workflow_format_ui: () => ['Workflow is in the editor format, which the service cannot run', `${NO_JOB} ${EXPORT_STEPS}`],
	missing_asset: (error, { isRunNode }) => [
		`A file of the workflow is not stored in the service: ${error.message}`,
		isRunNode
			? `${NO_JOB} Send the file in a row of Files.`
			: `${NO_JOB} Place Comfy Upload Asset before this node, and enter its reference under Input Files.`,
	],
	hash_mismatch: () => [
		'The service received a file with a different hash',
		'Nothing was stored. Run the item again. If it happens again, the file changes while the node reads it.',
	],
	blob_not_found: () => [
		'The service does not have a file with this hash',
		'Check Hash, or use the operation Upload to send the file itself.',
	],
	idempotency_key_reuse: () => [
		'This idempotency key has already been used',
		'Each job needs its own key. Set Idempotency Key to Automatic, or use an expression that gives each item a different Custom key.',
	],
	queue_full: (error, credential) => [`The queue of the service is full${describeWait(error)}`, busyAdvice(error, credential)],
	job_not_found: jobNotFound,
	asset_not_found: notFound('asset', 'Check Asset ID. The asset may belong to another account, or its retention time may be over.'),
	deployment_not_ready: (error, credential) => [`The deployment is not ready yet${describeWait(error)}`, busyAdvice(error, credential)],
	deployment_stopped: () => ['The deployment is stopped', `${NO_JOB} Start the deployment in the service, then run the item again.`],
	rate_limited: () => ['The account has sent too many requests', LOWER_OR_LATER],
	too_many_streams: (_, { isRunNode }) => [
		'Too many live connections are open',
		isRunNode ? 'Lower Concurrency.' : 'Set How To Wait to Polling, or lower Concurrency.',
	],
	upstream_unreachable: () => [
		'The API proxy is running, but ComfyUI does not respond',
		'Start ComfyUI, or check the address of ComfyUI in the settings of the API proxy.',
	],
	no_job_list: (_, { isOwnServer }) =>
		isOwnServer
			? [
					'The trigger cannot watch all jobs, because this server does not list them',
					'To follow all jobs of your ComfyUI, set Source to Engine. Or set Jobs to Watch to Listed Jobs.',
				]
			: [
					'The trigger cannot watch all jobs, because this service does not list them',
					'To follow all jobs of the account, set Source to Hosted Account. Or set Jobs to Watch to Listed Jobs.',
				],
	jobs_not_listed: (_, { isOwnServer }) =>
		isOwnServer
			? ['This server does not list its jobs', `Set Interface to Engine under Options: ComfyUI itself lists them. ${BY_ID}`]
			: ['This service does not list its jobs over v2', `Set Interface to v1 under Options: it lists the jobs of the account. ${BY_ID}`],
	made_by_not_kept: madeByNotKeptWords,
	not_implemented: () => ['This server does not offer this function', 'Update the server, or remove this step.'],
	asset_in_use: () => ['The asset is in use and cannot be deleted now', 'Wait until the jobs that use it have finished, then delete it.'],
	payload_too_large: () => [
		'The request is larger than the server allows',
		`Raise the upload limit of the server, or send a smaller file. ${PROXY_LIMIT}`,
	],
	output_unavailable: () => ['The server no longer has the file of this output', OUTPUT_GONE],
	invalid_body: (error) => [`The service could not read the request: ${error.message}`, 'Check the fields of this node.'],
};

/** Messages by error code of the v1 interface. */
export const v1Sentences: Sentences = {
	...commonSentences,
	...savedWorkflowSentences,
	subscription_inactive: () => [
		'The account has no active subscription',
		'The service runs jobs only with a subscription. Activate it in your account, then run the item again.',
	],
	payload_too_large: () => [
		'The file is larger than the service allows',
		'The limits of v1 for an image are 50 MB, 16,384 pixels on the longer side, and 64 megapixels. Send a smaller file, or set Interface to v2.',
	],
	jobs_not_listed: () => ['This service does not list its jobs over v1', BY_ID],
	made_by_not_kept: madeByNotKeptWords,
	not_implemented: () => ['The v1 interface does not offer this function', 'Set Interface to v2.'],
};

const ENGINE_FORGETS = 'ComfyUI loses its jobs when it is restarted or its history is cleared.';

/** Messages by error code of an engine, and of a reverse proxy in front of it. */
export const engineSentences: Sentences = {
	...commonSentences,
	...savedWorkflowSentences,
	job_not_found: (_, { isRunNode }) => [JOB_NOT_FOUND, `${isRunNode ? '' : 'Check Job ID. '}${ENGINE_FORGETS}`],
	invalid_cursor: () => ['The next page does not belong to this list of jobs', 'Close the list of jobs, and open it again.'],
	original_not_found: (error) => [
		`ComfyUI does not have the original image "${error.message}" of the mask`,
		'The mask was not sent. Upload the image first, and enter its reference under Original Image.',
	],
	unauthorized: (_, { name, signIn }) => [
		signIn === 'Sign-In'
			? 'The reverse proxy in front of ComfyUI requires a sign-in'
			: 'The reverse proxy in front of ComfyUI did not accept the sign-in',
		`Check ${fieldOf(signIn, name)}. ComfyUI itself does not require one.`,
	],
	forbidden: (_, { name, signIn }) => [
		'The reverse proxy in front of ComfyUI does not allow this',
		`Check its rules, and ${fieldOf(signIn, name)}.`,
	],
	not_implemented: () => [
		'ComfyUI itself does not offer this function',
		'ComfyUI identifies files only by name. Run the API proxy in front of it and set Interface to v2, or remove this step.',
	],
	payload_too_large: () => [
		'The request is larger than ComfyUI allows',
		`Start ComfyUI with a larger --max-upload-size (in MB, 100 by default). ${PROXY_LIMIT}`,
	],
	rate_limited: () => ['The reverse proxy in front of ComfyUI received too many requests', LOWER_OR_LATER],
	upstream_error: (error) => [
		`ComfyUI could not run this request: ${error.message}`,
		'Check the console of ComfyUI, and any reverse proxy in front of it.',
	],
};
