import type { ApiError } from '../../../../client';
import { EXPORT_STEPS } from '../conversion';
import { invalidWorkflowWords } from '../invalidWorkflow';
import { madeByNotKeptWords } from '../jobList';
import { type CredentialWords, fieldOf, type Sentence, type Sentences } from '../words';
import { savedWorkflowSentences } from '../workflowSources';

const notFound =
	(thing: string, why: string): Sentence =>
	() => [`The service knows no such ${thing}`, why];

/** Messages by error code, for codes that all interfaces share. */
const commonSentences: Sentences = {
	invalid_workflow: invalidWorkflowWords,
	insufficient_credits: () => [
		'The account has not enough credits for this job',
		'No job was created. Add credits to the account, then run the item again.',
	],
	not_found: notFound(
		'entry',
		'Check the id. It may belong to another account or server, or may have been deleted after its retention time.',
	),
	unauthorized: (_, { name, secret, isOwnServer }) => [
		`The service did not accept the ${secret}`,
		`Check ${fieldOf(secret, name)}: it may be mistyped, deleted, or meant for another address.${isOwnServer ? ' For the hosted service or a deployment use the credential Comfy API.' : ''}`,
	],
	forbidden: (_, { name }) => [
		'The service knows this account but does not allow this action',
		`It may be a job or a file of another account. If it is yours, check in your account what the key of the ${name} credential may do, and whether the subscription is active.`,
	],
	upstream_error: (error) => [`The service could not do this: ${error.message}`, 'The cause lies in the service. Try again later.'],
	invalid_request: (error) => [`The service could not use the request: ${error.message}`, 'Check the fields of this node.'],
};

const formatSpan = (ms: number): string => (ms < 120_000 ? `${Math.round(ms / 1_000)} seconds` : `${Math.round(ms / 60_000)} minutes`);

/** Returns how long the node has waited, and how many of its jobs the service had. */
function describeWait({ refusedWith: held }: ApiError): string {
	if (held === undefined || held.forMs === 0) return '';
	const jobs =
		held.inFlight === 0 ? 'no job of this node' : held.inFlight === 1 ? '1 job of this node' : `${held.inFlight} jobs of this node`;
	return `: nothing more was taken within ${formatSpan(held.forMs)}, with ${jobs} waiting or running`;
}

const busyAdvice = ({ refusedWith: held }: ApiError, { isRunNode }: CredentialWords): string =>
	`No job was created. Raise ${held?.field ?? (isRunNode ? 'Max Wait (Minutes)' : 'Keep Trying For (Seconds)')}, lower Concurrency, or run the item again later.`;

const jobNotFound: Sentence = (_, { isRunNode }) => [
	'The service knows no such job',
	`${isRunNode ? '' : 'Check Job ID. '}The job may belong to another account or server, or its results may have been deleted after their retention time.`,
];

/** Messages by error code of the v2 interface. */
export const v2Sentences: Sentences = {
	...commonSentences,
	workflow_format_ui: () => ['Workflow is in the editor’s own format, which the service cannot run', `No job was created. ${EXPORT_STEPS}`],
	missing_asset: (error, { isRunNode }) => [
		`A file the workflow needs is not stored in the service: ${error.message}`,
		isRunNode
			? 'No job was created. Send the file in a row of Files.'
			: 'No job was created. Put Comfy Upload Asset before this node and place its reference under Input Files.',
	],
	hash_mismatch: () => [
		'The service received other bytes than were announced',
		'Nothing was stored. Run the item again; if it happens again, the file changes while it is being read.',
	],
	blob_not_found: () => [
		'The service does not have a file with this hash',
		'Check Hash, or use the operation Upload to send the file itself.',
	],
	idempotency_key_reuse: () => [
		'This idempotency key has already been used',
		'A key stands for one job only. Set Idempotency Key to Automatic, or give each item a Custom key of its own.',
	],
	queue_full: (error, credential) => [`The queue of the service is full${describeWait(error)}`, busyAdvice(error, credential)],
	job_not_found: jobNotFound,
	asset_not_found: notFound('asset', 'Check Asset ID. The asset may belong to another account, or have been deleted or expired.'),
	deployment_not_ready: (error, credential) => [`The deployment is not ready yet${describeWait(error)}`, busyAdvice(error, credential)],
	deployment_stopped: () => [
		'The deployment is stopped',
		'No job was created. Start the deployment in the service, then run the item again; trying again does not start it.',
	],
	rate_limited: () => ['The account has sent too many requests in a short time', 'Lower Concurrency, or run the item again later.'],
	too_many_streams: (_, { isRunNode }) => [
		'Too many live connections are open',
		isRunNode ? 'Lower Concurrency.' : 'Set How To Wait to Polling, or lower Concurrency.',
	],
	upstream_unreachable: () => [
		'The server is up, but the ComfyUI behind it does not answer',
		'Start ComfyUI, or check the address the server was given for it.',
	],
	no_job_list: (_, { isOwnServer }) =>
		isOwnServer
			? ['This server lists no jobs', 'Set Source to Engine to follow all jobs of your ComfyUI, or Jobs to Watch to Listed Jobs.']
			: [
					'This service does not list jobs',
					'Set Source to Hosted Account to follow all jobs of the account, or Jobs to Watch to Listed Jobs.',
				],
	jobs_not_listed: (_, { isOwnServer }) =>
		isOwnServer
			? [
					'This server does not list its jobs',
					'Set Interface to Engine, under Options: ComfyUI itself lists them. A job whose ID you have needs no list: choose By ID.',
				]
			: [
					'This service lists no jobs over v2',
					'Set Interface to v1, under Options: it lists the jobs of the account. A job whose ID you have needs no list: choose By ID.',
				],
	made_by_not_kept: madeByNotKeptWords,
	not_implemented: () => ['This server does not offer this function', 'Update the server, or leave this step out.'],
	asset_in_use: () => ['The asset is in use and cannot be deleted now', 'Wait until the jobs that use it have ended, then delete it.'],
	payload_too_large: () => [
		'This is more than the server takes in one request',
		'Raise the upload limit of the server, and of a reverse proxy in front of it if there is one (nginx: client_max_body_size, 1 MB by default), or send a smaller file.',
	],
	output_unavailable: () => ['The server no longer has the bytes of this output', 'Run the workflow again to make it anew.'],
	invalid_body: (error) => [`The service could not read the request: ${error.message}`, 'Check the fields of this node.'],
};

/** Messages by error code of the v1 interface. */
export const v1Sentences: Sentences = {
	...commonSentences,
	...savedWorkflowSentences,
	subscription_inactive: () => [
		'The account has no active subscription',
		'The service runs nothing without one. Activate the subscription in your account, then run the item again; waiting does not help.',
	],
	payload_too_large: () => [
		'The file is larger than the service takes',
		'Over v1 an image may have 50 MB, 16,384 pixels on its longer side, and 64 megapixels. Send a smaller one, or set Interface to v2.',
	],
	jobs_not_listed: () => ['This service lists no jobs over v1', 'A job whose ID you have needs no list: choose By ID.'],
	made_by_not_kept: madeByNotKeptWords,
	not_implemented: () => ['The v1 interface does not offer this function', 'Set Interface to v2.'],
};

const ENGINE_FORGETS = 'An engine forgets its jobs when it is restarted or its history is cleared.';

/** Messages by error code of an engine, and of a reverse proxy in front of it. */
export const engineSentences: Sentences = {
	...commonSentences,
	...savedWorkflowSentences,
	job_not_found: (_, { isRunNode }) => ['The service knows no such job', `${isRunNode ? '' : 'Check Job ID. '}${ENGINE_FORGETS}`],
	original_not_found: (error) => [
		`ComfyUI has no file "${error.message}" that the mask could belong to`,
		'The mask was not sent. Upload the image first, and give its reference under Original Image.',
	],
	unauthorized: (_, { name }) => [
		'The reverse proxy in front of ComfyUI asks for another Authorization',
		`Check ${fieldOf('Engine Authorization', name)}. ComfyUI itself asks for nothing.`,
	],
	forbidden: (_, { name }) => [
		'The reverse proxy in front of ComfyUI does not allow this',
		`Check its rules, and ${fieldOf('Engine Authorization', name)}.`,
	],
	not_implemented: () => [
		'ComfyUI itself does not offer this function',
		'It knows files by their names only. Run the API proxy in front of it and set Interface to v2, or leave this step out.',
	],
	payload_too_large: () => [
		'This is more than ComfyUI takes in one request',
		'Start ComfyUI with a larger --max-upload-size (in MB, 100 by default). If a reverse proxy stands in front of it, raise its limit as well (nginx: client_max_body_size, 1 MB by default).',
	],
	rate_limited: () => ['The reverse proxy in front of ComfyUI got too many requests', 'Lower Concurrency, or run the item again later.'],
	upstream_error: (error) => [
		`ComfyUI could not do this: ${error.message}`,
		'Look at its console, and at the reverse proxy in front of it if there is one.',
	],
};
