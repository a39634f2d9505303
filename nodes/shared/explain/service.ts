import { type ApiError, isRecord } from '../../../client';
import { messages } from '../messages/catalogue';
import { type CredentialWords, waitedForPlace } from '../messages/topics/service';
import { count, NO_JOB, shorten, type Words } from '../messages/words';
import { invalidWorkflowWords } from './rejectedWorkflow';

type Sentence = (error: ApiError, credential: CredentialWords) => Words;

/** Returns the words by the code of an error. */
export type SentenceTable = Record<string, Sentence>;

const byOwner =
	(own: Sentence, service: Sentence): Sentence =>
	(error, credential) =>
		(credential.isOwnServer ? own : service)(error, credential);

const byNode =
	(runNode: Sentence, others: Sentence): Sentence =>
	(error, credential) =>
		(credential.isRunNode ? runNode : others)(error, credential);

const madeByNotKept = byOwner(messages.SERVER_STORES_NO_ORIGIN, messages.SERVICE_STORES_NO_ORIGIN);

/** For codes that all interfaces share. */
const commonTable: SentenceTable = {
	invalid_workflow: invalidWorkflowWords,
	insufficient_credits: messages.ACCOUNT_CREDITS_LOW,
	not_found: messages.ENTRY_NOT_FOUND,
	unauthorized: messages.KEY_REJECTED,
	forbidden: messages.ACTION_FORBIDDEN,
	upstream_error: messages.SERVICE_ERROR,
	invalid_request: messages.REQUEST_REJECTED,
};

const formatSpan = (ms: number): string => (ms < 120_000 ? `${Math.round(ms / 1_000)} seconds` : `${Math.round(ms / 60_000)} minutes`);

function describeWait({ refusedWith }: ApiError): string {
	if (refusedWith === undefined || refusedWith.forMs === 0) return '';
	const { forMs, inFlight } = refusedWith;
	return waitedForPlace(formatSpan(forMs), inFlight === 0 ? 'no job' : count(inFlight, 'job', 'jobs'));
}

/** Returns the field with the time limit of a submission. */
const waitField = ({ refusedWith }: ApiError, { isRunNode }: CredentialWords): string =>
	refusedWith?.field ?? (isRunNode ? 'Max Wait (Minutes)' : 'Keep Trying For (Seconds)');

const v2Table: SentenceTable = {
	...commonTable,
	workflow_format_ui: () => messages.WORKFLOW_IN_EDITOR_FORMAT(NO_JOB),
	missing_asset: byNode(messages.FILE_OF_WORKFLOW_MISSING, messages.ASSET_OF_WORKFLOW_MISSING),
	hash_mismatch: messages.UPLOAD_CHANGED,
	blob_not_found: messages.HASH_NOT_FOUND,
	idempotency_key_reuse: messages.KEY_ALREADY_USED,
	queue_full: (error, credential) => messages.SERVICE_QUEUE_FULL(describeWait(error), waitField(error, credential)),
	job_not_found: messages.JOB_NOT_FOUND,
	asset_not_found: messages.ASSET_NOT_FOUND,
	deployment_not_ready: (error, credential) => messages.DEPLOYMENT_NOT_READY(describeWait(error), waitField(error, credential)),
	deployment_stopped: messages.DEPLOYMENT_STOPPED,
	rate_limited: messages.RATE_LIMITED,
	too_many_streams: messages.TOO_MANY_CONNECTIONS,
	upstream_unreachable: messages.COMFYUI_BEHIND_PROXY_SILENT,
	no_job_list: byOwner(messages.TRIGGER_NEEDS_ENGINE_SOURCE, messages.TRIGGER_NEEDS_ACCOUNT_SOURCE),
	jobs_not_listed: byOwner(messages.SERVER_LISTS_NO_JOBS, messages.V2_LISTS_NO_JOBS),
	made_by_not_kept: madeByNotKept,
	not_implemented: messages.FUNCTION_NOT_OFFERED,
	asset_in_use: messages.ASSET_IN_USE,
	payload_too_large: messages.REQUEST_TOO_LARGE,
	output_unavailable: messages.OUTPUT_NO_LONGER_STORED,
	invalid_body: messages.REQUEST_UNREADABLE,
};

const LONGEST_NAME = 200;
const MOST_NAMES = 5;
const MOST_NEAR = 3;

const nameIn = ({ message }: ApiError): string => shorten(message, LONGEST_NAME);

function namesIn({ details }: ApiError, field: string, most: number): string[] {
	const names = isRecord(details) ? details[field] : undefined;
	return Array.isArray(names)
		? names
				.filter((name): name is string => typeof name === 'string')
				.slice(0, most)
				.map((name) => shorten(name, LONGEST_NAME))
		: [];
}

/** For saved workflows, templates and blueprints. */
const savedWorkflowTable: SentenceTable = {
	workflow_not_found: (error) => messages.SAVED_WORKFLOW_NOT_FOUND(nameIn(error), namesIn(error, 'near', MOST_NEAR)),
	template_not_found: (error) => messages.TEMPLATE_NOT_FOUND(nameIn(error)),
	blueprint_not_found: (error) => messages.BLUEPRINT_NOT_FOUND(nameIn(error)),
	workflow_ambiguous: (error) => messages.SAVED_WORKFLOW_NAME_SHARED(nameIn(error), namesIn(error, 'paths', MOST_NAMES)),
	workflow_too_large: ({ message }) => messages.SAVED_WORKFLOW_TOO_LARGE(message),
	no_library: messages.SAVED_WORKFLOWS_NOT_AVAILABLE,
	many_users: messages.SAVED_WORKFLOWS_OF_USERS,
};

const v1Table: SentenceTable = {
	...commonTable,
	...savedWorkflowTable,
	subscription_inactive: messages.SUBSCRIPTION_INACTIVE,
	payload_too_large: messages.FILE_TOO_LARGE_FOR_V1,
	jobs_not_listed: messages.V1_LISTS_NO_JOBS,
	made_by_not_kept: madeByNotKept,
	not_implemented: messages.FUNCTION_NOT_IN_V1,
};

/** Of an engine, and of a reverse proxy in front of it. */
const engineTable: SentenceTable = {
	...commonTable,
	...savedWorkflowTable,
	job_not_found: messages.JOB_NOT_IN_COMFYUI,
	invalid_cursor: messages.PAGE_OF_OTHER_LIST,
	original_not_found: messages.MASK_ORIGINAL_NOT_FOUND,
	unauthorized: (error, credential) =>
		(credential.signIn === 'Sign-In' ? messages.PROXY_SIGN_IN_MISSING : messages.PROXY_SIGN_IN_REJECTED)(error, credential),
	forbidden: messages.PROXY_FORBIDS,
	not_implemented: messages.FUNCTION_NOT_IN_COMFYUI,
	payload_too_large: messages.REQUEST_TOO_LARGE_FOR_COMFYUI,
	rate_limited: messages.PROXY_RATE_LIMITED,
	upstream_error: messages.COMFYUI_ERROR,
};

/** Words by error code, by interface. */
export const serviceTables = { v2: v2Table, v1: v1Table, engine: engineTable };
