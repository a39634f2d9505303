import { type ApiError, type InputFault, isRecord } from '../../../../client';
import { type Sentences, type Words, words } from '../words';

const NOTHING_RUN = 'Nothing was run or billed.';
const SAME_KEY = 'Every attempt had the same idempotency key, so nothing is billed twice.';
export const COLLECT_LATER = `${SAME_KEY} Retry this execution within 24 hours to collect the result; raise Max Wait (Minutes), or set Delivery to Queued.`;
const PROVIDER_SIDE = `The cause lies with the provider. ${SAME_KEY} Retry this execution later, or start a new one with another model.`;
/** A later try of a queued request only reads the same end. */
const OR_START_ANEW = 'If that brings the same again, start a new execution: it is a new run, which is billed.';

export const NEW_RUN = 'For a new run, which is billed, start a new execution.';

/** Messages by error code of the model router. */
export const routerSentences: Sentences = {
	invalid_input: (error) =>
		error.status === 409
			? [
					`The router cannot use this idempotency key again: ${error.message}`,
					'It was used for another input, or its result is no longer kept. Nothing was run again. For a new run, which is billed, start a new execution or set another Custom key.',
				]
			: [`The model does not take this input: ${error.message}`, `${NOTHING_RUN} Correct the fields named here.`],
	idempotency_key_expired: (error) =>
		isRecord(error.details) && error.details.may_exist_since !== undefined
			? [
					'An earlier try of this execution may have run this item more than 24 hours ago',
					`${error.message}. n8n lost what came of it, and the router no longer knows it, so that it could be billed a second time: nothing was sent. ${NEW_RUN}`,
				]
			: [
					'This run was first sent more than 24 hours ago',
					`${error.message}. The router no longer knows it, and would bill it a second time: so nothing was sent. ${NEW_RUN}`,
				],
	content_policy_violation: (error) => [
		`The provider refused this content: ${error.message}`,
		'Change the prompt or the files: the same input is refused every time. Whether a refusal is charged, the list of models says.',
	],
	provider_error: (error) => [`The provider of the model could not make a result: ${error.message}`, PROVIDER_SIDE],
	provider_timeout: (error) => [`The provider of the model took too long: ${error.message}`, `${PROVIDER_SIDE} ${OR_START_ANEW}`],
	insufficient_credits: () => [
		'The workspace has not enough credits for this run',
		`${NOTHING_RUN} Add credits to the account, then run the item again.`,
	],
	model_not_found: (error) => [
		`The router has no model of this id: ${error.message}`,
		'Nothing was run. Choose the model From List, or correct its id.',
	],
	unauthorized: (_, { name, secret }) => [
		`The router did not accept the ${secret}`,
		`Nothing was run. Check ${secret} in the ${name} credential: it may be mistyped, deleted, or meant for another address.`,
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
		`The workspace has too many runs under way: ${error.message}`,
		`${SAME_KEY} Lower Concurrency, raise Max Wait (Minutes), or run the item again once others have ended.`,
	],
	client_disconnected: (error) => [`The connection ended before the result came: ${error.message}`, COLLECT_LATER],
	internal_error: (error) => [
		`The router could not do this: ${error.message}`,
		`The cause lies in the service. ${SAME_KEY} Retry this execution later. ${OR_START_ANEW} The service’s support may want the request id.`,
	],
	deadline_exceeded: (error) => [`The result was not ready in time: ${error.message}`, COLLECT_LATER],
	not_enabled: (error) => [
		`The router is not enabled for this: ${error.message}`,
		`${NOTHING_RUN} Waiting does not help: ask for access in your account. For a model that returns plain bytes, set Delivery to Synchronous.`,
	],
	service_unavailable: (error) => [
		`The router cannot work at the moment: ${error.message}`,
		`${SAME_KEY} Run the item again later, or raise Max Wait (Minutes).`,
	],
	rate_limited: (error) => [
		`The account has used up its requests for now: ${error.message}`,
		'Nothing was run. Lower Concurrency, or run the item again when the window named here is over.',
	],
	cancelled: (error) => [
		`The queued request was stopped before it finished: ${error.message}`,
		'Somebody, or a stopped execution, canceled it. Run the item again in a new execution if it was not meant.',
	],
	queue_timeout: (error) => [
		`The request waited too long in the queue: ${error.message}`,
		'Nothing was run. Retry this execution later, which makes another request, or set Delivery to Synchronous.',
	],
	request_not_found: (error) =>
		error.status === 410
			? [
					`The router no longer keeps this request: ${error.message}`,
					'Results are kept for 24 hours. Nothing was run again. For a new run, which is billed, start a new execution.',
				]
			: [`The router knows no such request: ${error.message}`, 'Check Model and Request ID. Results are kept for 24 hours.'],
	queue_backlog_full: (error) => [
		`The workspace has too many requests in the queue: ${error.message}`,
		'Nothing was run. Lower Concurrency, raise Max Wait (Minutes), or run the item again once others have ended.',
	],
};

const dollars = (cents: unknown): string => (typeof cents === 'number' ? `$${(cents / 100).toFixed(2)}` : 'an unknown amount');

/** Returns further facts of the router: its own name for an unknown error, and how much may be spent. */
export function routerRemarks({ details }: ApiError): string[] {
	if (!isRecord(details)) return [];
	const { error_type: word, upstream_detail: upstream, spend } = details;
	return [
		...(typeof word === 'string' ? [`The router calls it "${word}"`] : []),
		...(typeof upstream === 'string' && upstream !== '' ? [`The provider says: ${upstream}`] : []),
		...(isRecord(spend)
			? [`Committed spend: ${dollars(spend.current)} of ${dollars(spend.limit)}, ${dollars(spend.remaining)} remaining`]
			: []),
	];
}

const MOST_NAMES = 20;

const joinNames = (names: string[]): string =>
	names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES).join(', ')}, …` : names.join(', ');

/** Returns the words for a field of the model's form that cannot be sent. */
export function modelInputWords(facts: InputFault): Words {
	const { field } = facts;
	switch (facts.fault) {
		case 'empty':
			return words(
				`${field} is empty`,
				`Nothing was sent. The model needs it: fill in ${field} under Values to Send, or check that its expression finds a value in the input item.`,
			);
		case 'wrong_type':
			return words(`${field} is not ${facts.expected}`, `Nothing was sent. Correct ${field} under Values to Send.`);
		case 'not_a_choice':
			return words(`${field} is none of the values that the model takes`, `Nothing was sent. Choose one of: ${joinNames(facts.choices)}.`);
		case 'out_of_range':
			return words(`${field} is out of range`, `Nothing was sent. The model takes ${facts.allowed}.`);
		case 'lost_digits':
			return words(
				`${field} has lost digits: ${facts.left} is what n8n has kept of it`,
				`Nothing was sent. n8n keeps numbers exactly up to ${Number.MAX_SAFE_INTEGER}. Enter it as text, by an expression such as {{ "18446744073709551615" }}, or set Input Mode to JSON and enter the JSON as text.`,
			);
		case 'unknown_field':
			return words(
				`The model has no input "${field}"`,
				`Nothing was sent. Refresh the fields under Values to Send: the model, or its inputs, have changed. It takes: ${joinNames(facts.known)}.`,
			);
	}
}
