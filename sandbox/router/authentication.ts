/** API keys and signed-in tokens of the router. */
import { randomBytes, randomUUID } from 'node:crypto';
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
export function authenticate({ headers }: FastifyRequest, { keys, tokens }: Credentials): AccountName {
	const key = headers['x-api-key'];
	const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
	const apiKey = typeof key === 'string' ? key : bearer.startsWith(API_KEY_PREFIX) ? bearer : undefined;
	const account = apiKey === undefined ? tokens.accountOf(bearer) : accountOfApiKey(apiKey, keys);
	if (account === undefined) throw unknownCaller('Missing, expired or unknown credential');
	return account;
}

function accountOfApiKey(apiKey: string, keys: SandboxKeys): AccountName | undefined {
	if (apiKey === keys.apiKey) return 'main';
	return apiKey === keys.otherApiKey ? 'other' : undefined;
}

/** Signed-in tokens. The sandbox stores them instead of checking a signature. */
export class Tokens {
	readonly #accounts = new Map<string, AccountName>();

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
		const token = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}.${randomBytes(32).toString('base64url')}`;
		this.accept(token, account);
		return token;
	}

	/** Accepts the token of a sandbox that was closed. */
	accept(token: string, account: AccountName): void {
		this.#accounts.set(token, account);
	}

	/** The account of a token; undefined if it is unknown or has expired. */
	accountOf(token: string): AccountName | undefined {
		const account = this.#accounts.get(token);
		if (account === undefined) return undefined;
		const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as { exp: number };
		return exp * 1000 > Date.now() ? account : undefined;
	}
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
