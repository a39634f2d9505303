/** One call of a model: checked before anything is sent to a provider, and delivered to the caller. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toDoubles, writeJson } from '../json';
import type { AccountName } from '../vocabulary';
import { authenticate } from './authentication';
import { validateInput } from './validateInput';
import { centsOf, creditsOf, type Generated, type JsonObject, type Model, type ModelParams } from './model';
import { invalidFields, notEnabled, setHeaders } from './refusals';
import type { RouterService } from './routerService';
import type { Generation } from './generations';

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

/** @throws RouterRefusal for all problems that are found before a provider is called. They are not billed. */
export function validateCall(request: CallRequest, account: AccountName, router: RouterService): Call {
	const { body, query } = request;
	const model = router.catalog.find(request.params);
	const { input, dropped } = forProvider(asObject(body), model, query.model_provider);
	const entries = validateInput(model, toDoubles(input) as JsonObject);
	if (entries.length > 0) throw invalidFields(entries);
	return { account, model, input, dropped, fallback: query.fallback_provider !== 'false' };
}

function asObject(body: unknown): JsonObject {
	if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject;
	throw invalidFields([
		{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type', ...(body !== undefined && { input: body }) },
	]);
}

/** Removes parameters that another provider of the model does not support. */
function forProvider(input: JsonObject, model: Model, provider: string = model.provider): Pick<Call, 'input' | 'dropped'> {
	const dropped = provider === model.provider ? [] : (model.ownParameters ?? []).filter((name) => name in input);
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
		order: { model, input, account, dropped },
		fallbackProvider,
	} = generation;
	setHeaders(
		reply,
		{
			...(model.reportsCredits &&
				!replayed && {
					'X-Vendor-Credits-Used': creditsOf(model, input),
					'X-Litellm-Response-Cost': String(centsOf(model, input) / 100),
				}),
			...(replayed && { 'Idempotent-Replayed': 'true' }),
			...(dropped.length > 0 && { 'X-Vendor-Router-Dropped-Params': JSON.stringify(dropped) }),
			...(fallbackProvider !== undefined && { 'X-Vendor-Router-Fallback-Provider': fallbackProvider }),
			'X-Content-Type-Options': 'nosniff',
			...generations.spendHeaders(account),
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
