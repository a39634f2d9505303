import { type ApiError, type InputFault, isRecord } from '../../../../client';
import { EXACT_UP_TO, joinNames, lostDigits, MOST_CHOICES, NOTHING_SENT, type Sentences, type Words, words } from '../words';

const NOTHING_RUN = 'Nothing was run or billed.';
const SAME_KEY = 'Every attempt used the same idempotency key, so nothing is billed twice.';
export const COLLECT_LATER = `${SAME_KEY} Retry this execution within 24 hours to collect the result. For longer runs, raise Max Wait (Minutes) or set Delivery to Queued.`;
const PROVIDER_SIDE = `The cause is at the provider. ${SAME_KEY} Retry this execution later, or start a new one with another model.`;
/** A later try of a queued request only reads the same end. */
const OR_START_ANEW = 'If the result is the same, start a new execution: it is a new run, which is billed.';

export const NEW_RUN = 'For a new run, which is billed, start a new execution.';

/** Messages by error code of the model router. */
export const routerSentences: Sentences = {
	invalid_input: (error) =>
		error.status === 409
			? [
					`The router cannot use this idempotency key again: ${error.message}`,
					'It was used for a different input, or its result is no longer stored. Nothing was run again. For a new run, which is billed, start a new execution or enter a different Custom key.',
				]
			: [`The model does not accept this input: ${error.message}`, `${NOTHING_RUN} Correct the fields that this message names.`],
	idempotency_key_expired: (error) =>
		isRecord(error.details) && error.details.may_exist_since !== undefined
			? [
					'An earlier try of this execution may have run this item more than 24 hours ago',
					`${error.message}. Nothing was sent, because n8n lost the result, the router no longer has the run, and a second run would also be billed. ${NEW_RUN}`,
				]
			: [
					'This run was first sent more than 24 hours ago',
					`${error.message}. Nothing was sent again, because the router no longer has this run and would bill a second one. ${NEW_RUN}`,
				],
	content_policy_violation: (error) => [
		`The provider rejected this content: ${error.message}`,
		'Change the prompt or the files: the provider rejects the same input every time. The list of models shows whether a rejection is billed.',
	],
	provider_error: (error) => [`The provider of the model returned no result: ${error.message}`, PROVIDER_SIDE],
	provider_timeout: (error) => [`The provider of the model took too long: ${error.message}`, `${PROVIDER_SIDE} ${OR_START_ANEW}`],
	insufficient_credits: () => [
		'The workspace does not have enough credits for this run',
		`${NOTHING_RUN} Add credits to the account, then run the item again.`,
	],
	model_not_found: (error) => [
		`The router has no model with this ID: ${error.message}`,
		'Nothing was run. Choose the model From List, or correct its ID.',
	],
	unauthorized: (_, { name, secret }) => [
		`The router did not accept the ${secret}`,
		`Nothing was run. Check ${secret} in the ${name} credential: it may be misspelled, deleted, or for a different address.`,
	],
	token_expired: (error, { name, secret }) => [
		`The ${secret} is no longer valid: ${error.message}`,
		`Nothing was sent. Get a new one and enter it as ${secret} in the ${name} credential.`,
	],
	forbidden: (error, { name }) => [
		`The router does not allow this: ${error.message}`,
		`Nothing was run. Check in your account what the ${name} credential may do, or choose another model.`,
	],
	concurrency_limit_exceeded: (error) => [
		`The workspace has too many runs in progress: ${error.message}`,
		`${SAME_KEY} Lower Concurrency, raise Max Wait (Minutes), or run the item again when other runs have finished.`,
	],
	client_disconnected: (error) => [`The connection ended before the result arrived: ${error.message}`, COLLECT_LATER],
	internal_error: (error) => [
		`The router could not run this request: ${error.message}`,
		`The cause is in the service. ${SAME_KEY} Retry this execution later. ${OR_START_ANEW} If you contact the support of the service, include the request ID.`,
	],
	deadline_exceeded: (error) => [`The result was not ready in time: ${error.message}`, COLLECT_LATER],
	not_enabled: (error) => [
		`The router is not enabled for this: ${error.message}`,
		`${NOTHING_RUN} Request access in your account. For a model that returns plain bytes, set Delivery to Synchronous.`,
	],
	service_unavailable: (error) => [
		`The router is not available now: ${error.message}`,
		`${SAME_KEY} Run the item again later, or raise Max Wait (Minutes).`,
	],
	rate_limited: (error) => [
		`The account has sent too many requests: ${error.message}`,
		'Nothing was run. Lower Concurrency, or run the item again when the time in this message is over.',
	],
	cancelled: (error) => [
		`The queued request was stopped before it finished: ${error.message}`,
		'A person or a stopped execution canceled it. If this was not intended, run the item in a new execution.',
	],
	queue_timeout: (error) => [
		`The request waited too long in the queue: ${error.message}`,
		'Nothing was run. Retry this execution later to send a new request, or set Delivery to Synchronous.',
	],
	request_not_found: (error) =>
		error.status === 410
			? [
					`The router no longer has this request: ${error.message}`,
					`The router stores results for 24 hours. Nothing was run again. ${NEW_RUN}`,
				]
			: [`The router has no request with this ID: ${error.message}`, 'Check Model and Request ID. The router stores results for 24 hours.'],
	queue_backlog_full: (error) => [
		`The workspace has too many requests in the queue: ${error.message}`,
		'Nothing was run. Lower Concurrency, raise Max Wait (Minutes), or run the item again when other requests have finished.',
	],
};

const dollars = (cents: unknown): string => (typeof cents === 'number' ? `$${(cents / 100).toFixed(2)}` : 'an unknown amount');

/** Returns further facts of the router: its own name for an unknown error, and how much may be spent. */
export function routerRemarks({ details }: ApiError): string[] {
	if (!isRecord(details)) return [];
	const { error_type: word, upstream_detail: upstream, spend } = details;
	return [
		...(typeof word === 'string' ? [`Error type of the router: ${word}`] : []),
		...(typeof upstream === 'string' && upstream !== '' ? [`Message of the provider: ${upstream}`] : []),
		...(isRecord(spend)
			? [`Committed spend: ${dollars(spend.current)} of ${dollars(spend.limit)}, ${dollars(spend.remaining)} remaining`]
			: []),
	];
}

/** Returns the words for a field of the model's form that cannot be sent. */
export function modelInputWords(facts: InputFault): Words {
	const { field } = facts;
	switch (facts.fault) {
		case 'empty':
			return words(
				`${field} is empty`,
				`${NOTHING_SENT} The model requires it: fill in ${field} under Values to Send, or check that its expression finds a value in the input item.`,
			);
		case 'wrong_type':
			return words(`${field} is not ${facts.expected}`, `${NOTHING_SENT} Correct ${field} under Values to Send.`);
		case 'not_a_choice':
			return words(
				`${field} is not one of the values that the model accepts`,
				`${NOTHING_SENT} Choose one of: ${joinNames(facts.choices, MOST_CHOICES)}.`,
			);
		case 'out_of_range':
			return words(`${field} is out of range`, `${NOTHING_SENT} The model accepts ${facts.allowed}.`);
		case 'lost_digits':
			return words(
				lostDigits(field, facts.left),
				`${NOTHING_SENT} ${EXACT_UP_TO} Enter it as text with an expression such as {{ "18446744073709551615" }}, or set Input Mode to JSON and enter the JSON as text.`,
			);
		case 'unknown_field':
			return words(
				`The model has no input "${field}"`,
				`${NOTHING_SENT} The model or its inputs have changed: refresh the fields under Values to Send. The model has these inputs: ${joinNames(facts.known, MOST_CHOICES)}.`,
			);
	}
}
