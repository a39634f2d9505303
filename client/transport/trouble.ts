import { ComfyError, ConnectionError, type ConnectionTrouble } from '../errors';
import { TimeLimitError, TooSlowError } from './limits';

const DNS = /^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|UND_ERR_DNS)/;
const REFUSED = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/;
const TIMEOUT = /^(ETIMEDOUT|UND_ERR_\w+_TIMEOUT)$/;
const TLS = /CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|SELF_SIGNED|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^UND_ERR_PRX_TLS$/;
/** The answer to our first words of TLS was none: a server that speaks plain http, or something else altogether. */
const NO_TLS = /wrong.version.number|packet.length.too.long|unknown.protocol/i;
const INVALID = /^(UND_ERR_INVALID_ARG|ERR_INVALID_)/;

const WORDS: Record<ConnectionTrouble, string> = {
	refused: 'The connection was refused',
	dns: 'The host name cannot be resolved',
	tls: 'No secure connection could be made',
	no_tls: 'The server speaks no TLS',
	only_tls: 'The server speaks TLS only',
	timeout: 'No answer in time',
	too_slow: 'The download is too slow',
	lost: 'The connection was lost',
	blocked: 'The address is blocked',
	link_local: 'The address is link-local',
	invalid_address: 'The address is unusable',
};

/**
 * Turns whatever ended an exchange into a ConnectionError; our own errors pass through.
 * @param sent whether any byte of the request may have left.
 */
export function toComfyError(error: unknown, { origin, sent }: { origin: string; sent: boolean }): ComfyError {
	if (error instanceof ComfyError) return error;
	const code = codeOf(error);
	const trouble = error instanceof TooSlowError ? 'too_slow' : error instanceof TimeLimitError ? 'timeout' : classify(error, code, sent);
	return connectionError(trouble, { origin, mayHaveArrived: sent, code, cause: unquoted(error) });
}

/** undici's parser keeps what it could not read, in which links may stand that give access. */
function unquoted(error: unknown): unknown {
	if (error instanceof Error && 'data' in error) delete error.data;
	return error;
}

export function connectionError(
	trouble: ConnectionTrouble,
	{ origin, mayHaveArrived = false, code = '', cause }: { origin: string; mayHaveArrived?: boolean; code?: string; cause?: unknown },
): ConnectionError {
	const message = `${WORDS[trouble]}${origin && ` (${origin})`}${code && `: ${code}`}`;
	return new ConnectionError({ trouble, origin, mayHaveArrived, message }, { cause });
}

/** Whether the same request may reach the server a moment later. */
export const isTransientTrouble = (trouble: ConnectionTrouble): boolean => ['refused', 'dns', 'timeout', 'lost'].includes(trouble);

/** A look-up that fails for a reason of its own, not for one of DNS, was told to. */
export function lookupTrouble(error: Error, hostname: string): Error {
	return DNS.test(codeOf(error)) ? error : connectionError('blocked', { origin: hostname, cause: error });
}

function classify(error: unknown, code: string, sent: boolean): ConnectionTrouble {
	if (TIMEOUT.test(code)) return 'timeout';
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
