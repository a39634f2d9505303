/** The signed-in tokens that the router takes beside API keys. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { JwtOptions } from '../types';
import type { AccountName } from '../vocabulary';

const HEADER = encoded({ alg: 'HS256', typ: 'JWT' });

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

	/** Whose token it is; undefined when it is expired, or not one of ours. */
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

/** Whether its `exp` has passed; a text that is no JWT counts as expired. */
export function isExpired(token: string): boolean {
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
