import type { ApiError } from '../../../../client';
import { defineMessages, fieldOf, NO_JOB, OUTPUT_GONE } from '../words';

/** What a message of a service depends on in addition to the error: names of the credential, and the node that shows it. */
export interface CredentialWords {
	name: string;
	secret: string;
	isOwnServer: boolean;
	/** The label of the field that contains the sign-in for a reverse proxy, or in which to choose one. */
	signIn: string;
	/** Whether the node is Comfy Run Workflow, which takes files in rows of *Files* and has no *Job ID*. */
	isRunNode: boolean;
}

export const MADE_BY_LABEL = 'Made By This n8n Workflow';

const BY_ID = 'If you have the ID of the job, choose By ID: it needs no list.';
const LOWER_OR_LATER = 'Lower Concurrency, or run the item again later.';
const PROXY_LIMIT = 'If a reverse proxy is in front of the server, raise its limit as well (nginx: client_max_body_size, 1 MB by default).';
const USE_OTHER_FILTERS = `Remove the filter ${MADE_BY_LABEL}, and filter by Created After and Status instead.`;
const ORIGIN_NOT_STORED = `Jobs from other programs and from older versions of these nodes do not contain it, and some services do not store it. ${USE_OTHER_FILTERS}`;
const JOB_NOT_FOUND = 'The server has no job with this ID';

const checkJobId = (isRunNode: boolean): string => (isRunNode ? '' : 'Check Job ID. ');

/** @param field to raise. */
const busyAdvice = (field: string): string => `${NO_JOB} Raise ${field}, lower Concurrency, or run the item again later.`;

/** How long the node has waited for a place in the queue, and how many of its jobs the service had. */
export const waitedForPlace = (span: string, jobs: string): string =>
	`: it accepted no job for ${span}, with ${jobs} of this node waiting or running`;

/** Errors that a service reports: the hosted service, a deployment, the API proxy, ComfyUI, or a reverse proxy. */
export const service = defineMessages({
	UNKNOWN_SERVICE_CODE: ({ code, status, message }: ApiError) => [
		`The server returned "${code}" (HTTP ${status}): ${message}`,
		'This node has no advice for this code. Follow the message of the server above.',
	],
	ACCOUNT_CREDITS_LOW: () => [
		'The account does not have enough credits for this job',
		`${NO_JOB} Add credits to the account, then run the item again.`,
	],
	SUBSCRIPTION_INACTIVE: () => [
		'The account has no active subscription',
		'The service runs jobs only with a subscription. Activate it in your account, then run the item again.',
	],
	ENTRY_NOT_FOUND: () => [
		'The server has no entry with this ID',
		'Check the ID. The entry may belong to another account or server, or its retention time may be over.',
	],
	ASSET_NOT_FOUND: () => [
		'The server has no asset with this ID',
		'Check Asset ID. The asset may belong to another account, or its retention time may be over.',
	],
	JOB_NOT_FOUND: (_: ApiError, { isRunNode }: CredentialWords) => [
		JOB_NOT_FOUND,
		`${checkJobId(isRunNode)}The job may belong to another account or server, or its retention time may be over.`,
	],
	JOB_NOT_IN_COMFYUI: (_: ApiError, { isRunNode }: CredentialWords) => [
		JOB_NOT_FOUND,
		`${checkJobId(isRunNode)}ComfyUI loses its jobs when it is restarted or its history is cleared.`,
	],
	KEY_REJECTED: (_: ApiError, { name, secret, isOwnServer }: CredentialWords) => [
		`The server did not accept the ${secret}`,
		`Check ${fieldOf(secret, name)}: it may be misspelled, deleted, or for a different address.${isOwnServer ? ' For the hosted service or a deployment, use the credential Comfy API.' : ''}`,
	],
	ACTION_FORBIDDEN: (_: ApiError, { name }: CredentialWords) => [
		'The service does not allow this action for this account',
		`The job or file may belong to another account. If it is yours, check in your account whether the subscription is active, and what the key of the ${name} credential allows.`,
	],
	SERVICE_ERROR: ({ message }: ApiError) => [
		`The server could not run this request: ${message}`,
		'The cause is on the server. Try again later.',
	],
	COMFYUI_ERROR: ({ message }: ApiError) => [
		`ComfyUI could not run this request: ${message}`,
		'Check the console of ComfyUI, and any reverse proxy in front of it.',
	],
	REQUEST_REJECTED: ({ message }: ApiError) => [`The server rejected the request: ${message}`, 'Check the fields of this node.'],
	REQUEST_UNREADABLE: ({ message }: ApiError) => [`The server could not read the request: ${message}`, 'Check the fields of this node.'],
	ASSET_OF_WORKFLOW_MISSING: ({ message }: ApiError) => [
		`A file of the workflow is not stored on the server: ${message}`,
		`${NO_JOB} Place Comfy Upload Asset before this node, and enter its reference under Input Files.`,
	],
	FILE_OF_WORKFLOW_MISSING: ({ message }: ApiError) => [
		`A file of the workflow is not stored on the server: ${message}`,
		`${NO_JOB} Send the file in a row of Files.`,
	],
	UPLOAD_CHANGED: () => [
		'The server received a file with a different hash',
		'Nothing was stored. Run the item again. If it happens again, the file changes while the node reads it.',
	],
	HASH_NOT_FOUND: () => [
		'The server does not have a file with this hash',
		'Check Hash, or use the operation Upload to send the file itself.',
	],
	KEY_ALREADY_USED: () => [
		'This idempotency key has already been used',
		'Each job needs its own key. Set Idempotency Key to Automatic, or use an expression that gives each item a different Custom key.',
	],
	/** @param waited empty if the node did not wait. */
	SERVICE_QUEUE_FULL: (waited: string, field: string) => [`The queue of the server is full${waited}`, busyAdvice(field)],
	/** @param waited empty if the node did not wait. */
	DEPLOYMENT_NOT_READY: (waited: string, field: string) => [`The deployment is not ready yet${waited}`, busyAdvice(field)],
	DEPLOYMENT_STOPPED: () => ['The deployment is stopped', `${NO_JOB} Start the deployment in the service, then run the item again.`],
	RATE_LIMITED: () => ['The account has sent too many requests', LOWER_OR_LATER],
	PROXY_RATE_LIMITED: () => ['The reverse proxy in front of ComfyUI received too many requests', LOWER_OR_LATER],
	TOO_MANY_CONNECTIONS: (_: ApiError, { isRunNode }: CredentialWords) => [
		'Too many live connections are open',
		isRunNode ? 'Lower Concurrency.' : 'Set How To Wait to Polling, or lower Concurrency.',
	],
	COMFYUI_BEHIND_PROXY_SILENT: () => [
		'The API proxy is running, but ComfyUI does not respond',
		'Start ComfyUI, or check the address of ComfyUI in the settings of the API proxy.',
	],
	TRIGGER_NEEDS_ENGINE_SOURCE: () => [
		'The trigger cannot watch all jobs, because this server does not list them',
		'To follow all jobs of your ComfyUI, set Source to Engine. Or set Jobs to Watch to Listed Jobs.',
	],
	TRIGGER_NEEDS_ACCOUNT_SOURCE: () => [
		'The trigger cannot watch all jobs, because this service does not list them',
		'To follow all jobs of the account, set Source to Hosted Account. Or set Jobs to Watch to Listed Jobs.',
	],
	SERVER_LISTS_NO_JOBS: () => [
		'This server does not list its jobs',
		`Set Interface to Engine under Options: ComfyUI itself lists them. ${BY_ID}`,
	],
	V2_LISTS_NO_JOBS: () => [
		'This service does not list its jobs over v2',
		`Set Interface to v1 under Options: it lists the jobs of the account. ${BY_ID}`,
	],
	V1_LISTS_NO_JOBS: () => ['This service does not list its jobs over v1', BY_ID],
	SERVER_STORES_NO_ORIGIN: () => ['This server does not store which n8n workflow created a job', USE_OTHER_FILTERS],
	SERVICE_STORES_NO_ORIGIN: ({ interface: name }: ApiError) => [
		'This service does not store which n8n workflow created a job',
		`${USE_OTHER_FILTERS}${name === 'v2' ? ' To list the jobs of the hosted account, set Interface to v1 under Options.' : ''} Deployments and your own servers store it.`,
	],
	FUNCTION_NOT_OFFERED: () => ['This server does not offer this function', 'Update the server, or remove this step.'],
	FUNCTION_NOT_IN_V1: () => ['The v1 interface does not offer this function', 'Set Interface to v2.'],
	FUNCTION_NOT_IN_COMFYUI: () => [
		'ComfyUI itself does not offer this function',
		'ComfyUI identifies files only by name. Run the API proxy in front of it and set Interface to v2, or remove this step.',
	],
	ASSET_IN_USE: () => ['The asset is in use and cannot be deleted now', 'Wait until the jobs that use it have finished, then delete it.'],
	REQUEST_TOO_LARGE: () => [
		'The request is larger than the server allows',
		`Raise the upload limit of the server, or send a smaller file. ${PROXY_LIMIT}`,
	],
	FILE_TOO_LARGE_FOR_V1: () => [
		'The file is larger than the server allows',
		'The limits of v1 for an image are 50 MB, 16,384 pixels on the longer side, and 64 megapixels. Send a smaller file, or set Interface to v2.',
	],
	REQUEST_TOO_LARGE_FOR_COMFYUI: () => [
		'The request is larger than ComfyUI allows',
		`Start ComfyUI with a larger --max-upload-size (in MB, 100 by default). ${PROXY_LIMIT}`,
	],
	OUTPUT_NO_LONGER_STORED: () => ['The server no longer has the file of this output', OUTPUT_GONE],
	PAGE_OF_OTHER_LIST: () => ['The next page does not belong to this list of jobs', 'Close the list of jobs, and open it again.'],
	MASK_ORIGINAL_NOT_FOUND: ({ message }: ApiError) => [
		`ComfyUI does not have the original image "${message}" of the mask`,
		'The mask was not sent. Upload the image first, and enter its reference under Original Image.',
	],
	PROXY_SIGN_IN_MISSING: (_: ApiError, { name, signIn }: CredentialWords) => [
		'The reverse proxy in front of ComfyUI requires a sign-in',
		`Check ${fieldOf(signIn, name)}. ComfyUI itself does not require one.`,
	],
	PROXY_SIGN_IN_REJECTED: (_: ApiError, { name, signIn }: CredentialWords) => [
		'The reverse proxy in front of ComfyUI did not accept the sign-in',
		`Check ${fieldOf(signIn, name)}. ComfyUI itself does not require one.`,
	],
	PROXY_FORBIDS: (_: ApiError, { name, signIn }: CredentialWords) => [
		'The reverse proxy in front of ComfyUI does not allow this',
		`Check its rules, and ${fieldOf(signIn, name)}.`,
	],
	/** A hint for a list of jobs without a match. */
	JOB_HAS_NO_ORIGIN: () => ['The only job in the list does not contain the n8n workflow that created it', ORIGIN_NOT_STORED],
	/** A hint for a list of jobs without a match. */
	JOBS_HAVE_NO_ORIGIN: (jobs: number) => [
		`None of the ${jobs} jobs in the list contains the n8n workflow that created it`,
		ORIGIN_NOT_STORED,
	],
});
