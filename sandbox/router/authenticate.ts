import type { FastifyRequest } from 'fastify';
import type { AccountName } from '../vocabulary';
import { unknownCaller } from './refusal';
import type { RouterParts } from './routerParts';
import { isExpired } from './tokens';

/** What a bearer token begins with when it is an API key; anything else is a JWT. */
const API_KEY_PREFIX = 'comfyui-';

/** Who calls; `X-API-Key` wins over a bearer token. @throws RouterRefusal `unauthorized`. */
export function authenticate(request: FastifyRequest, { keys, tokens }: RouterParts): AccountName {
	const key = request.headers['x-api-key'];
	const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
	const apiKey = typeof key === 'string' ? key : bearer?.startsWith(API_KEY_PREFIX) ? bearer : undefined;
	const account =
		apiKey === undefined
			? accountOfJwt(bearer)
			: new Map<string, AccountName>([
					[keys.apiKey, 'main'],
					[keys.otherApiKey, 'other'],
				]).get(apiKey);
	if (account === undefined) throw unknownCaller('Missing, expired or unknown credential');
	return account;

	function accountOfJwt(token: string | undefined): AccountName | undefined {
		if (token === undefined) return undefined;
		// Those of a sandbox that was closed were signed with its own secret.
		const given = new Map<string, AccountName>([
			[keys.jwt, 'main'],
			[keys.otherJwt, 'other'],
		]).get(token);
		return given === undefined ? tokens.accountOf(token) : isExpired(token) ? undefined : given;
	}
}
