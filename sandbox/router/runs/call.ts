/** One call of a model, as far as it is looked at before anything is sent to a provider. */
import type { FastifyRequest } from 'fastify';
import { asDoubles } from '../../exactJson';
import type { AccountName } from '../../vocabulary';
import { authenticate } from '../authenticate';
import { validateInput } from '../validateInput';
import { isClosedTo, type JsonObject, type Model, type ModelParams } from '../model';
import { forbidden, insufficientCredits, invalidFields, invalidInput, notEnabled } from '../refusal';
import type { RouterService } from '../routerService';

const KEY_LENGTH_LIMIT = 255;

export type CallRequest = FastifyRequest<{ Params: ModelParams; Querystring: Record<string, string> }>;

export interface Call {
	account: AccountName;
	model: Model;
	input: JsonObject;
	/** Top-level inputs that were left out for another provider. */
	dropped: string[];
	fallback: boolean;
}

/** @throws RouterRefusal for a caller that may not use the router. */
export function admit(request: FastifyRequest, router: RouterService): AccountName {
	const account = authenticate(request, router);
	if (!router.limits.enabled) throw notEnabled('The router is not enabled for this workspace yet');
	return account;
}

/** @throws RouterRefusal when the key is not 1 to 255 characters. */
export function readRunKey({ headers }: FastifyRequest): string | undefined {
	const key = headers['idempotency-key'];
	if (key === undefined) return undefined;
	if (typeof key !== 'string' || key.length < 1 || key.length > KEY_LENGTH_LIMIT)
		throw invalidInput(`Idempotency-Key must have 1 to ${KEY_LENGTH_LIMIT} characters`);
	return key;
}

/** @throws RouterRefusal for everything that is refused before a provider is asked; nothing of it is billed. */
export function examine(request: CallRequest, account: AccountName, router: RouterService): Call {
	const { body, query } = request;
	const model = router.catalog.find(request.params, account);
	if (isClosedTo(model, account)) throw forbidden('This workspace may not run this model');
	const whole = asObject(body);
	const { input, dropped } = forProvider(whole, model, query, router);
	const entries = validateInput(model, asDoubles(input) as JsonObject, query.reject_unknown_fields === 'true');
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

/** Another provider of the model does not know every parameter: it is left out, or refused in strict mode. */
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
