import { clock } from '../clock';
import { usableKey } from '../connectionParts';
import { isRecord } from '../decode';
import { ApiError } from '../errors';

export type RouterSecret = { kind: 'apiKey'; key: string } | { kind: 'jwt'; token: string };

/** The headers that carry a credential, and its end. */
export class RouterAccess {
	readonly headers: Record<string, string>;
	/** Epoch milliseconds; undefined for what does not say when it ends. */
	private readonly expiresAt: number | undefined;

	/** @throws ApiError `unauthorized` for a key or token that cannot be sent. */
	constructor(credential: RouterSecret) {
		const isKey = credential.kind === 'apiKey';
		const secret = usableKey('router', isKey ? credential.key : credential.token);
		this.headers = secret === '' ? {} : isKey ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` };
		this.expiresAt = isKey ? undefined : expiryOf(secret);
	}

	/** @throws ApiError `token_expired` once the token's time is over: the router would only say that it is wrong. */
	check(): void {
		if (this.expiresAt === undefined || clock.wallNow() < this.expiresAt) return;
		const message = `The token expired at ${new Date(this.expiresAt).toISOString()}`;
		throw new ApiError({ interface: 'router', code: 'token_expired', status: 401, message });
	}
}

/** The `exp` claim of a JWT. What cannot be read is left to the router. */
function expiryOf(token: string): number | undefined {
	try {
		const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
		const milliseconds = isRecord(claims) && typeof claims.exp === 'number' ? claims.exp * 1_000 : NaN;
		return Number.isNaN(new Date(milliseconds).getTime()) ? undefined : milliseconds;
	} catch {
		return undefined;
	}
}
