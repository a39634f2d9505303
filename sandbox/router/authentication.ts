/** API keys and signed-in tokens of the router. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { AccountName } from '../vocabulary';
import type { JwtOptions, SandboxKeys } from '../types';
import { unknownCaller } from './refusals';

/** Bearer tokens with this prefix are API keys, all others are JWTs. */
const API_KEY_PREFIX = 'comfyui-';

interface Credentials {
	keys: SandboxKeys;
	tokens: Tokens;
}

/** The account of the caller. `X-API-Key` takes precedence over a bearer token. @throws RouterRefusal `unauthorized`. */
export function authenticate({ headers }: FastifyRequest, credentials: Credentials): AccountName {
	const key = headers['x-api-key'];
	const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
	const apiKey = typeof key === 'string' ? key : bearer?.startsWith(API_KEY_PREFIX) ? bearer : undefined;
	const account = apiKey === undefined ? accountOfJwt(bearer, credentials) : accountOfApiKey(apiKey, credentials);
	if (account === undefined) throw unknownCaller('Missing, expired or unknown credential');
	return account;
}

function accountOfApiKey(apiKey: string, { keys }: Credentials): AccountName | undefined {
	if (apiKey === keys.apiKey) return 'main';
	return apiKey === keys.otherApiKey ? 'other' : undefined;
}

function accountOfJwt(token: string | undefined, { keys, tokens }: Credentials): AccountName | undefined {
	if (token === undefined) return undefined;
	// The keys may come from a sandbox that was closed. It signed its tokens with another secret.
	const known = token === keys.jwt ? 'main' : token === keys.otherJwt ? 'other' : undefined;
	if (known === undefined) return tokens.accountOf(token);
	return isExpired(token) ? undefined : known;
}

const HEADER = encoded({ alg: 'HS256', typ: 'JWT' });

/** Mints and checks signed-in tokens. */
export class Tokens {
	constructor(private readonly secret: string) {}

	/** A JWT with `sub`, `workspace_id`, `iat`, `exp` and `jti`. */
	mint({ expiresInSeconds, account = 'main' }: JwtOptions): string {
		const now = Math.floor(Date.now() / 1000);
		const claims = {
			sub: account,
			workspace_id: `ws_${account}`,
			iat: Math.min(now, now + expiresInSeconds - 60),
			exp: now + expiresInSeconds,
			jti: randomUUID(),
		};
		const content = `${HEADER}.${encoded(claims)}`;
		return `${content}.${this.#signature(content)}`;
	}

	/** The account of a token; undefined if it has expired or has another signature. */
	accountOf(token: string): AccountName | undefined {
		const [header = '', body = '', signature = ''] = token.split('.');
		const claims = claimsOf(token);
		const expected = Buffer.from(this.#signature(`${header}.${body}`));
		const given = Buffer.from(signature);
		if (claims === undefined || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
		return isExpired(token) ? undefined : claims.sub;
	}

	#signature(content: string): string {
		return createHmac('sha256', this.secret).update(content).digest('base64url');
	}
}

interface Claims {
	sub: AccountName;
	exp: number;
}

/** Whether a token has expired. A text that is not a JWT counts as expired. */
function isExpired(token: string): boolean {
	const claims = claimsOf(token);
	return claims === undefined || claims.exp * 1000 <= Date.now();
}

function claimsOf(token: string): Claims | undefined {
	try {
		return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Claims;
	} catch {
		return undefined;
	}
}

function encoded(value: unknown): string {
	return Buffer.from(JSON.stringify(value)).toString('base64url');
}
