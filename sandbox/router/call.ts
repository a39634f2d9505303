/** One call of a model: checked before anything is sent to a provider, delivered to the caller, and noted in the ledger. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toDoubles, writeJson } from '../json';
import type { AccountName } from '../vocabulary';
import { authenticate } from './authentication';
import { validateInput } from './validateInput';
import { creditsOf, type Generated, isClosedTo, type JsonObject, type Model, type ModelParams } from './model';
import { forbidden, insufficientCredits, invalidFields, invalidInput, notEnabled, setHeaders, vendorHeader } from './refusals';
import type { RouterService } from './routerService';
import type { Generation } from './generations';

const KEY_LENGTH_LIMIT = 255;

type CallRequest = FastifyRequest<{ Params: ModelParams; Querystring: Record<string, string> }>;

interface Call {
	account: AccountName;
	model: Model;
	input: JsonObject;
	/** Top-level inputs that were removed because the other provider does not support them. */
	dropped: string[];
	fallback: boolean;
}

/** @throws RouterRefusal if the caller may not use the router. */
export function authorize(request: FastifyRequest, router: RouterService): AccountName {
	const account = authenticate(request, router);
	if (!router.limits.enabled) throw notEnabled('The router is not enabled for this workspace yet');
	return account;
}

/** @throws RouterRefusal if the key does not have 1 to 255 characters. */
export function readRunKey({ headers }: FastifyRequest): string | undefined {
	const key = headers['idempotency-key'];
	if (key === undefined) return undefined;
	if (typeof key !== 'string' || key.length < 1 || key.length > KEY_LENGTH_LIMIT)
		throw invalidInput(`Idempotency-Key must have 1 to ${KEY_LENGTH_LIMIT} characters`);
	return key;
}

/** @throws RouterRefusal for all problems that are found before a provider is called. They are not billed. */
export function validateCall(request: CallRequest, account: AccountName, router: RouterService): Call {
	const { body, query } = request;
	const model = router.catalog.find(request.params, account);
	if (isClosedTo(model, account)) throw forbidden('This workspace may not run this model');
	const whole = asObject(body);
	const { input, dropped } = forProvider(whole, model, query, router);
	const entries = validateInput(model, toDoubles(input) as JsonObject, query.reject_unknown_fields === 'true');
	if (entries.length > 0) throw invalidFields(entries);
	if ((router.credits.get(account) ?? Infinity) <= 0) throw insufficientCredits('The workspace has no credits left');
	return { account, model, input, dropped, fallback: query.fallback_provider !== 'false' };
}

function asObject(body: unknown): JsonObject {
	if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject;
	throw invalidFields([
		{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type', ...(body !== undefined && { input: body }) },
	]);
}

/** Removes parameters that another provider of the model does not support. In strict mode it refuses them. */
function forProvider(
	input: JsonObject,
	model: Model,
	query: Record<string, string>,
	{ catalog }: RouterService,
): { input: JsonObject; dropped: string[] } {
	const { model_provider: provider, strict_mode: strict } = query;
	if (provider === undefined || provider === model.provider) return { input, dropped: [] };
	if (!catalog.providers.includes(provider)) throw invalidInput(`No such model_provider: ${provider}`);
	const dropped = (model.ownParameters ?? []).filter((name) => name in input);
	if (strict === 'true' && dropped.length > 0) {
		throw invalidFields(
			dropped.map((name) => ({
				loc: ['body', name],
				msg: `Not supported by ${provider}`,
				type: 'unsupported_parameter',
				ctx: { model_provider: provider },
				input: input[name],
			})),
		);
	}
	return { input: Object.fromEntries(Object.entries(input).filter(([name]) => !dropped.includes(name))), dropped };
}

interface Delivery {
	result: Generated;
	generation: Generation;
	replayed: boolean;
}

export function deliver(
	reply: FastifyReply,
	{ result, generation, replayed }: Delivery,
	{ behaviour, generations }: RouterService,
): FastifyReply {
	const {
		order: { model, account, dropped },
		fallbackProvider,
	} = generation;
	setHeaders(
		reply,
		{
			...(model.reportsCredits && !replayed && { 'X-Vendor-Credits-Used': creditsOf(model) }),
			...(replayed && { 'Idempotent-Replayed': 'true' }),
			...(dropped.length > 0 && { 'X-Vendor-Router-Dropped-Params': JSON.stringify(dropped) }),
			...(fallbackProvider !== undefined && { 'X-Vendor-Router-Fallback-Provider': fallbackProvider }),
			'X-Content-Type-Options': 'nosniff',
			...generations.inFlight.spendHeaders(account),
		},
		behaviour,
	);
	if (result.kind === 'json') return reply.code(200).type('application/json; charset=utf-8').send(writeJson(result.value));
	if (result.kind === 'bytes')
		return reply
			.code(200)
			.type(result.contentType)
			.header('content-length', result.bytes.length)
			.send(Readable.from([result.bytes]));
	return reply.code(200).type('application/json; charset=utf-8').header('content-length', result.sizeBytes).send(result.open());
}

/** Whether the whole answer was written to the caller's connection. */
export async function wasWritten({ raw }: FastifyReply): Promise<boolean> {
	if (!raw.writableFinished && !raw.destroyed) await Promise.race([once(raw, 'finish'), once(raw, 'close')]);
	return raw.writableFinished;
}

const CALLER_LEFT = 499;

/** Records a call when it ends. Only this record contains `client_disconnected`. */
export function recordCall(
	reply: FastifyReply,
	{ account, model }: { account: AccountName; model: string },
	{ behaviour, ledger }: RouterService,
): void {
	const requestId = String(reply.getHeader(behaviour.requestIdHeader));
	reply.raw.once('close', () => {
		const told = reply.raw.writableFinished;
		const bucket = reply.raw.getHeader(vendorHeader('X-Vendor-Error-Type', behaviour));
		ledger.routerCalls.push({
			requestId,
			model,
			account,
			status: told ? reply.raw.statusCode : CALLER_LEFT,
			bucket: told ? (typeof bucket === 'string' ? bucket : null) : 'client_disconnected',
			at: Date.now(),
		});
	});
}
