import { defineMessages, EXACT_UP_TO, joinNames, lostDigits, MOST_CHOICES, NOTHING_SENT, shorten } from '../words';
import type { CredentialWords } from './service';

const NOTHING_RUN = 'Nothing was run or billed.';
const SAME_KEY = 'Every attempt used the same idempotency key, so nothing is billed twice.';
const COLLECT_LATER = `${SAME_KEY} Retry this execution within 24 hours to collect the result. For longer runs, raise Max Wait (Minutes) or set Delivery to Queued.`;
const PROVIDER_SIDE = `The cause is at the provider. ${SAME_KEY} Retry this execution later, or start a new one with another model.`;
/** A later try of a queued request only reads the same end. */
const OR_START_ANEW = 'If the result is the same, start a new execution: it is a new run, which is billed.';
const NEW_RUN = 'For a new run, which is billed, start a new execution.';
const LONGEST_REASON = 300;
const JSON_OBJECT = 'Nothing was sent. Enter a JSON object, for example {"prompt": "a red fox"}.';

/** n8n has lost the record of an earlier try, so it is unknown whether it sent the item. */
const EARLIER_TRY =
	'If an earlier try of this execution has run this item, that run is billed. To collect its result, change the cost options so that the item is sent, and retry this execution within 24 hours.';

const EXACT_DOLLARS = { minimumFractionDigits: 2, maximumFractionDigits: 9 };

const usd = (amount: number): string => `$${amount.toLocaleString('en', EXACT_DOLLARS)}`;

const keyLine = (key: string | undefined): string => `Idempotency key: ${key}`;

/** The text of the service. */
interface Said {
	message: string;
}

/** The model router, and the inputs of its models. */
export const router = defineMessages({
	ROUTER_KEY_REJECTED: ({ message }: Said) => [
		`The router cannot use this idempotency key again: ${message}`,
		'It was used for a different input, or its result is no longer stored. Nothing was run again. For a new run, which is billed, start a new execution or enter a different Custom key.',
	],
	MODEL_INPUT_REJECTED: ({ message }: Said) => [
		`The model does not accept this input: ${message}`,
		`${NOTHING_RUN} Correct the fields that this message names.`,
	],
	EARLIER_RUN_EXPIRED: ({ message }: Said) => [
		'An earlier try of this execution may have run this item more than 24 hours ago',
		`${message}. Nothing was sent, because n8n lost the result, the router no longer has the run, and a second run would also be billed. ${NEW_RUN}`,
	],
	RUN_EXPIRED: ({ message }: Said) => [
		'This run was first sent more than 24 hours ago',
		`${message}. Nothing was sent again, because the router no longer has this run and would bill a second one. ${NEW_RUN}`,
	],
	CONTENT_REJECTED: ({ message }: Said) => [
		`The provider rejected this content: ${message}`,
		'Change the prompt or the files: the provider rejects the same input every time. The list of models shows whether a rejection is billed.',
	],
	PROVIDER_ERROR: ({ message }: Said) => [`The provider of the model returned no result: ${message}`, PROVIDER_SIDE],
	PROVIDER_TIMEOUT: ({ message }: Said) => [`The provider of the model took too long: ${message}`, `${PROVIDER_SIDE} ${OR_START_ANEW}`],
	WORKSPACE_CREDITS_LOW: () => [
		'The workspace does not have enough credits for this run',
		`${NOTHING_RUN} Add credits to the account, then run the item again.`,
	],
	MODEL_NOT_FOUND: ({ message }: Said) => [
		`The router has no model with this ID: ${message}`,
		'Nothing was run. Choose the model From List, or correct its ID.',
	],
	ROUTER_SIGN_IN_REJECTED: (_: Said, { name, secret }: CredentialWords) => [
		`The router did not accept the ${secret}`,
		`Nothing was run. Check ${secret} in the ${name} credential: it may be misspelled, deleted, or for a different address.`,
	],
	ROUTER_TOKEN_EXPIRED: ({ message }: Said, { name, secret }: CredentialWords) => [
		`The ${secret} is no longer valid: ${message}`,
		`Nothing was sent. Get a new one and enter it as ${secret} in the ${name} credential.`,
	],
	ROUTER_FORBIDDEN: ({ message }: Said, { name }: CredentialWords) => [
		`The router does not allow this: ${message}`,
		`Nothing was run. Check in your account what the ${name} credential may do, or choose another model.`,
	],
	TOO_MANY_RUNS: ({ message }: Said) => [
		`The workspace has too many runs in progress: ${message}`,
		`${SAME_KEY} Lower Concurrency, raise Max Wait (Minutes), or run the item again when other runs have finished.`,
	],
	RUN_CONNECTION_ENDED: ({ message }: Said) => [`The connection ended before the result arrived: ${message}`, COLLECT_LATER],
	ROUTER_ERROR: ({ message }: Said) => [
		`The router could not run this request: ${message}`,
		`The cause is in the service. ${SAME_KEY} Retry this execution later. ${OR_START_ANEW} If you contact the support of the service, include the request ID.`,
	],
	RUN_DEADLINE_EXCEEDED: ({ message }: Said) => [`The result was not ready in time: ${message}`, COLLECT_LATER],
	ROUTER_NOT_ENABLED: ({ message }: Said) => [
		`The router is not enabled for this: ${message}`,
		`${NOTHING_RUN} Request access in your account. For a model that returns plain bytes, set Delivery to Synchronous.`,
	],
	ROUTER_NOT_AVAILABLE: ({ message }: Said) => [
		`The router is not available now: ${message}`,
		`${SAME_KEY} Run the item again later, or raise Max Wait (Minutes).`,
	],
	ROUTER_RATE_LIMITED: ({ message }: Said) => [
		`The account has sent too many requests: ${message}`,
		'Nothing was run. Lower Concurrency, or run the item again when the time in this message is over.',
	],
	REQUEST_CANCELED: ({ message }: Said) => [
		`The queued request was stopped before it finished: ${message}`,
		'A person or a stopped execution canceled it. If this was not intended, run the item in a new execution.',
	],
	REQUEST_QUEUE_TIMEOUT: ({ message }: Said) => [
		`The request waited too long in the queue: ${message}`,
		'Nothing was run. Retry this execution later to send a new request, or set Delivery to Synchronous.',
	],
	REQUEST_EXPIRED: ({ message }: Said) => [
		`The router no longer has this request: ${message}`,
		`The router stores results for 24 hours. Nothing was run again. ${NEW_RUN}`,
	],
	REQUEST_NOT_FOUND: ({ message }: Said) => [
		`The router has no request with this ID: ${message}`,
		'Check Model and Request ID. The router stores results for 24 hours.',
	],
	REQUEST_QUEUE_FULL: ({ message }: Said) => [
		`The workspace has too many requests in the queue: ${message}`,
		'Nothing was run. Lower Concurrency, raise Max Wait (Minutes), or run the item again when other requests have finished.',
	],
	/** An execution that n8n lost may have run the item with another input. */
	EARLIER_RUN_WITH_OTHER_INPUT: (key: string | undefined, { message }: Said, requestId: string | undefined) => [
		'An earlier try of this item may have run with a different input, and may be billed',
		`n8n lost the data of that try, so the node sent the item again with the same idempotency key. The router returned: ${message}`,
		'Nothing was run again, and no different key was used. To get the result of the earlier try, give the item the same input as in that try, and retry this execution within 24 hours. Expressions such as Math.random() or $now, and changed data from earlier nodes, change the input.',
		'For random seeds, set Seeds under Options to Random For Each Item: they stay the same in every retry. The router also returns this error if it cannot return a result again.',
		NEW_RUN,
		keyLine(key),
		requestId && `Request ID: ${requestId}`,
	],
	RUN_INPUT_CHANGED: (key: string) => [
		'The input of this item has changed since it was sent, and the first input was too large to keep',
		`Nothing was sent, because the model may have run with the first input, and that run may be billed. To collect its result, give the item the first input again (for example with a fixed seed), and retry this execution. ${NEW_RUN}`,
		keyLine(key),
	],
	/** A hint. */
	RESULT_OF_EARLIER_INPUT: (item: number) => [
		`Item ${item}: the result belongs to the input that an earlier try sent, see sent_input`,
		'The input of the item has changed since then. The node did not send the new input, so nothing is billed twice.',
	],
	RUN_NOT_READY: (key: string | undefined) => [
		'The result did not arrive within Max Wait (Minutes)',
		`The model may have run, and the run may be billed. ${COLLECT_LATER}`,
		keyLine(key),
	],
	/** @param remarks of the router. */
	RUN_RESULT_LOST: (lastAttempt: string, remarks: string[], key: string | undefined, requestId: string | undefined) => [
		`The result did not arrive. Last attempt: ${lastAttempt}`,
		`The model may have run, and the run may be billed. ${COLLECT_LATER}`,
		...remarks,
		keyLine(key),
		requestId,
	],
	MODEL_FIELD_EMPTY: ({ field }: { field: string }) => [
		`${field} is empty`,
		`${NOTHING_SENT} The model requires it: fill in ${field} under Values to Send, or check that its expression finds a value in the input item.`,
	],
	MODEL_FIELD_WRONG_TYPE: ({ field, expected }: { field: string; expected: string }) => [
		`${field} is not ${expected}`,
		`${NOTHING_SENT} Correct ${field} under Values to Send.`,
	],
	MODEL_FIELD_NOT_A_CHOICE: ({ field, choices }: { field: string; choices: string[] }) => [
		`${field} is not one of the values that the model accepts`,
		`${NOTHING_SENT} Choose one of: ${joinNames(choices, MOST_CHOICES)}.`,
	],
	MODEL_FIELD_OUT_OF_RANGE: ({ field, allowed }: { field: string; allowed: string }) => [
		`${field} is out of range`,
		`${NOTHING_SENT} The model accepts ${allowed}.`,
	],
	MODEL_FIELD_LOST_DIGITS: ({ field, left }: { field: string; left: string }) => [
		lostDigits(field, left),
		`${NOTHING_SENT} ${EXACT_UP_TO} Enter it as text with an expression such as {{ "18446744073709551615" }}, or set Input Mode to JSON and enter the JSON as text.`,
	],
	MODEL_FIELD_UNKNOWN: ({ field, known }: { field: string; known: string[] }) => [
		`The model has no input "${field}"`,
		`${NOTHING_SENT} The model or its inputs have changed: refresh the fields under Values to Send. The model has these inputs: ${joinNames(known, MOST_CHOICES)}.`,
	],
	MODEL_ID_NOT_VALID: (id: string, reason: string) => [
		`"${id}" is not a model ID`,
		`${reason} Nothing was sent. Choose the model From List, or correct its ID.`,
	],
	MODEL_WITHOUT_SCHEMA: (model: string) => [
		`The model ${model} has no input schema`,
		'Nothing was sent. Set Input Mode to JSON, and enter the inputs that the provider documents.',
	],
	MODEL_JSON_NOT_VALID: (reason: string) => [`Input (JSON) is not valid JSON: ${reason}`, JSON_OBJECT],
	MODEL_JSON_NOT_AN_OBJECT: () => ['Input (JSON) is not a JSON object', JSON_OBJECT],
	MODEL_FILE_TOO_LARGE: (name: string, limitMib: number) => [
		`"${name}" is too large for the request`,
		`Nothing was sent. The limit is ${limitMib} MiB. For a larger file, enter its address in the input of the model.`,
	],
	MODEL_INPUT_TAKES_NO_FILE: (field: string) => [
		`The model input "${field}" does not accept a file`,
		'Nothing was sent. Correct Input under Input Files. The operation Get Input Schema returns the inputs of the model.',
	],
	MODEL_FILE_INPUT_NOT_VALID: (field: string) => [
		`Input under Input Files is not valid: "${field}"`,
		'Nothing was sent. Enter the name of the input, for example image_url or messages[0].image.',
	],
	RUN_LIMIT_REACHED: (limit: number) => [
		`Limit Runs Per Execution is reached: ${limit}`,
		'This item was not sent. Raise the limit under Options, or run fewer items.',
	],
	ESTIMATE_NOT_ENABLED: ({ message }: Said, { name }: CredentialWords) => [
		`The router does not estimate costs for this account yet: ${message}`,
		`${NOTHING_RUN} The router enables estimates step by step. Ask its support for access for the account of the ${name} credential, or look up the price on the page of the model.`,
	],
	COST_UNKNOWN: (reason: string, mayHaveRun: boolean) => [
		`The cost of this run is unknown: ${reason}`,
		'Nothing was sent, because a cost limit is set. Run the item again later, set If Cost Is Unknown under Options to Continue, or remove the cost limits.',
		mayHaveRun ? EARLIER_TRY : undefined,
	],
	COST_ABOVE_LIMIT: (upperUsd: number, limitUsd: number, mayHaveRun: boolean) => [
		`This run may cost up to ${usd(upperUsd)}, and Max Cost (USD) is ${usd(limitUsd)}`,
		'Nothing was sent. Raise Max Cost (USD) under Options, change the input, or choose another model.',
		mayHaveRun ? EARLIER_TRY : undefined,
	],
	EXECUTION_COST_LIMIT_REACHED: (upperUsd: number, otherRunsUsd: number, limitUsd: number, mayHaveRun: boolean) => [
		`This run may cost up to ${usd(upperUsd)}, which exceeds Max Cost Per Execution (USD): ${usd(limitUsd)}, of which other runs use ${usd(otherRunsUsd)}`,
		'This item was not sent. Raise the limit under Options, or run fewer items. If runs cost less than estimated, lower Concurrency: a finished run counts with its reported cost.',
		mayHaveRun ? EARLIER_TRY : undefined,
	],
	/** A hint. */
	COST_NOT_CHECKED: (model: string, reason: string) => [
		`Runs of ${model} were sent without a cost limit: ${reason}`,
		'If Cost Is Unknown is set to Continue.',
	],
	/** A hint. */
	COST_ABOVE_ESTIMATE: (item: number, costUsd: number, limitUsd: number) => [
		`Item ${item}: the run cost ${usd(costUsd)}, more than Max Cost (USD): ${usd(limitUsd)}`,
		'The estimate was lower or unknown. To use only the chosen provider, turn off Fallback Provider under Options.',
	],
	RESULT_IS_WEB_PAGE: () => ['The address leads to a web page', 'The node saves only files.'],
	RESULT_FILE_TOO_LARGE: (limitMegabytes: number) => [
		`The file is larger than ${limitMegabytes} MB`,
		'Raise Largest Result File (MB) under Options.',
	],
	/** A hint. @param reason why the first of these files was not saved. */
	RESULT_FILES_NOT_SAVED: (item: number, unsaved: number, all: number, reason: string) => [
		`Item ${item}: ${unsaved} of ${all} result files could not be saved`,
		reason,
	],
	/** A hint. */
	MODEL_CHARGES_REJECTIONS: (model: string) => [`${model} also charges for runs that its content policy rejects`],
	/** A hint. */
	MODEL_CHARGES_UNKNOWN: (model: string) => [
		`The router does not report whether ${model} charges for runs that its content policy rejects`,
	],
	/** A hint. @param reason why it has no seed. */
	MODEL_WITHOUT_SEED: (reason: string) => [
		`${reason}, so the option Seeds changes nothing`,
		'Set Seeds to As In The Input. If the provider documents a seed, enter it in Input (JSON).',
	],
});

const dollars = (cents: unknown): string => (typeof cents === 'number' ? `$${(cents / 100).toFixed(2)}` : 'an unknown amount');

/** Further facts of the router. */
export const remark = {
	errorType: (type: string): string => `Error type of the router: ${type}`,
	provider: (message: string): string => `Message of the provider: ${message}`,
	spend: ({ current, limit, remaining }: Record<string, unknown>): string =>
		`Committed spend: ${dollars(current)} of ${dollars(limit)}, ${dollars(remaining)} remaining`,
};

/** Why the cost of a run is unknown. */
export const costReason = {
	/** @param reason of the router. */
	notPriced: (reason: string | null): string => (reason === null ? 'the router gives no reason' : shorten(reason, LONGEST_REASON)),
	source: 'the router answered without a source that this version supports',
	amount: 'the router answered without a valid amount',
	currency: 'the router answered in another currency than US dollars',
};

/** Why the option *Seeds* changes nothing. */
export const noSeed = {
	noSchema: (model: string): string => `${model} has no input schema`,
	noSeedInSchema: (model: string): string => `The input schema of ${model} has no seed`,
};
