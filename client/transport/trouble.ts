import { ComfyError, ConnectionError, type ConnectionTrouble } from '../errors/errors';
import { TimeLimitError, TooSlowError } from './limits';

const DNS = /^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|UND_ERR_DNS)/;
const REFUSED = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/;
const TIMEOUT = /^(ETIMEDOUT|UND_ERR_\w+_TIMEOUT)$/;
const TLS = /CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|SELF_SIGNED|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^UND_ERR_PRX_TLS$/;
/** The server did not answer the TLS handshake with TLS: it uses plain HTTP, or another protocol. */
const NO_TLS = /wrong.version.number|packet.length.too.long|unknown.protocol/i;
const INVALID = /^(UND_ERR_INVALID_ARG|ERR_INVALID_)/;

const MESSAGES: Record<ConnectionTrouble, string> = {
	refused: 'The connection was refused',
	dns: 'The host name was not found',
	tls: 'n8n does not trust the TLS certificate',
	no_tls: 'The server does not support TLS',
	only_tls: 'The server accepts only TLS connections',
	timeout: 'The server did not respond in time',
	too_slow: 'The download is too slow',
	lost: 'The connection was lost',
	blocked: 'The address is blocked',
	link_local: 'The address is link-local',
	not_web: 'A link or a redirect leads to no web address',
	invalid_address: 'The address is not valid',
};

/**
 * Converts the error that ended a request into a ConnectionError. Errors of the client pass through.
 * @param sent whether any byte of the request may have left.
 */
export function toComfyError(error: unknown, { origin, sent }: { origin: string; sent: boolean }): ComfyError {
	if (error instanceof ComfyError) return error;
	const code = codeOf(error);
	return connectionError(classify(error, code, sent), { origin, mayHaveArrived: sent, code, cause: withoutData(error) });
}

/** Removes the data that undici's parser could not read, because it may contain links that grant access. */
function withoutData(error: unknown): unknown {
	if (error instanceof Error && 'data' in error) delete error.data;
	return error;
}

export function connectionError(
	trouble: ConnectionTrouble,
	{ origin, mayHaveArrived = false, code = '', cause }: { origin: string; mayHaveArrived?: boolean; code?: string; cause?: unknown },
): ConnectionError {
	const message = `${MESSAGES[trouble]}${origin && ` (${origin})`}${code && `: ${code}`}`;
	return new ConnectionError({ trouble, origin, mayHaveArrived, message }, { cause });
}

/** Converts an error of a lookup. An error that is not a DNS error comes from the address filter. */
export function toLookupError(error: Error, hostname: string): Error {
	return DNS.test(codeOf(error)) ? error : connectionError('blocked', { origin: hostname, cause: error });
}

function classify(error: unknown, code: string, sent: boolean): ConnectionTrouble {
	if (error instanceof TooSlowError) return 'too_slow';
	if (error instanceof TimeLimitError || TIMEOUT.test(code)) return 'timeout';
	if (sent) return 'lost';
	if (DNS.test(code)) return 'dns';
	if (TLS.test(code)) return NO_TLS.test(`${code} ${String(error)}`) ? 'no_tls' : 'tls';
	if (INVALID.test(code)) return 'invalid_address';
	return REFUSED.test(code) ? 'refused' : 'lost';
}

function codeOf(error: unknown): string {
	const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
	return typeof code === 'string' ? code : '';
}
