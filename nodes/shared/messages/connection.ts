import { type ConnectionError, type ConnectionTrouble, NoServerError, type Silence, type UnreadableAnswerError } from '../../../client';
import { credentialAt, enteredAddress, enteredUrls, type NamedCredential, originOf } from '../credentials';
import { otherServerWords } from './otherServer';
import { fieldOf, type Words, words } from './words';

/** Returns the host of an address. The text may be only a host name. */
const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : address);
const pathIn = (address: string): string => (URL.canParse(address) ? new URL(address).pathname.replace(/^\/$/, '') : '');

const DOCKER =
	'If n8n runs in Docker, 127.0.0.1 and localhost mean the container of n8n. Use host.docker.internal, or the name of the server’s container.';

const DEFAULT_PORTS = 'The default port is 8188 for ComfyUI, and 8000 for ComfyUI Desktop. ';

const PROXIES = 'any proxy between n8n and the server';

/** The credential and the field in which the address is entered. */
type EnteredAt = { credential: string; field: string; isOwnServer?: boolean };

/** For each trouble, what happened and what to do. */
const troubles: Record<ConnectionTrouble, (address: string, place: EnteredAt) => [string, string]> = {
	refused: (address, { credential, field, isOwnServer = false }) => [
		`The server at ${address} cannot be reached: the connection was refused`,
		`Check that the server is running and that ${fieldOf(field, credential)} is correct. ${isOwnServer ? DEFAULT_PORTS : ''}${DOCKER}`,
	],
	dns: (address, { credential, field }) => [
		`The host name in ${address} was not found`,
		`Check ${fieldOf(field, credential)} for typing errors.`,
	],
	tls: (address, { credential }) => [
		`n8n does not trust the TLS certificate of ${address}`,
		`Use an address with a certificate that n8n trusts. For your own server, turn on ${fieldOf('Ignore SSL Issues', credential)}.`,
	],
	no_tls: (address, { credential, field }) => [
		`The server at ${hostOf(address)} does not support TLS: use ${address.replace(/^https/, 'http')}`,
		`Enter ${fieldOf(field, credential)} with http:// instead of https://. Ignore SSL Issues has no effect, because the server has no certificate.`,
	],
	only_tls: (address, { credential, field }) => [
		`The server at ${hostOf(address)} accepts only TLS connections: use ${address.replace(/^http:/, 'https:')}`,
		`Enter ${fieldOf(field, credential)} with https:// instead of http://.`,
	],
	timeout: (address) => [
		`${address} did not respond in time`,
		`Try again later. If it happens again, check the load of the server and ${PROXIES}.`,
	],
	too_slow: (address) => [
		`The download from ${address} is too slow: less than 1 KiB per second for one minute`,
		`Try again later. If it happens again, check the load of the server and ${PROXIES}.`,
	],
	lost: (address) => [`The connection to ${address} was lost`, `Try again. If it happens again, check the server and ${PROXIES}.`],
	blocked: (address) => [
		`n8n does not allow connections to ${address}`,
		'The administrator of n8n restricts the addresses that nodes can connect to. Ask the administrator to allow this address.',
	],
	link_local: (address) => [
		`A link or redirect leads to the link-local address ${hostOf(address)}`,
		'The node connects to a link-local address only if you enter it in the credential, because cloud machines expose their secrets at such addresses. Check who runs the server.',
	],
	not_web: (address) => [
		`A link or redirect from the server leads to an address that is not a web address${address === '' ? '' : ` (${address})`}`,
		'The node opens only addresses that begin with http:// or https://. Check the server, and any proxy between n8n and the server.',
	],
	invalid_address: (address, { credential, field }) => [
		address === '' ? 'The address is not valid' : `"${address}" is not a valid address`,
		`Enter ${fieldOf(field, credential)} in the form https://host or http://host:port, also instead of ws:// or wss://. The address must not contain a user or a password: enter them under Sign-In of a Self-Hosted credential.`,
	],
};

/** Returns what happened, without advice. */
export const troubleMessage = ({ trouble, origin }: Pick<ConnectionError, 'trouble' | 'origin'>, credential?: NamedCredential): string =>
	troubles[trouble](enteredAddress(origin, credential), { credential: '', field: '' })[0];

/** The server did not respond for a whole time limit. */
function silentWords({ limitMs }: Silence, address: string, { credential, field }: EnteredAt): [string, string] {
	const within = limitMs > 0 ? `within ${Math.round(limitMs / 1_000)} s` : 'in time';
	return [
		`${address} did not respond ${within}`,
		`Check that the server is running, that ${fieldOf(field, credential)} is correct, and that no firewall blocks the connection.`,
	];
}

/** Returns where the address is entered. @param address of the failed request. */
function findEntry(credential: NamedCredential | undefined, address: string): EnteredAt {
	const isEngine = originOf(address) !== undefined && originOf(address) === originOf(credential?.engineUrl);
	const { displayName = 'Comfy', addressLabel = 'Base URL', isOwnServer } = credentialAt(address, credential) ?? {};
	return { credential: displayName, field: isEngine ? 'Engine Address' : addressLabel, isOwnServer };
}

/** No address of a self-hosted server responds. */
function noServerWords({ tried }: NoServerError, credential?: NamedCredential): Words {
	const places = tried.map((one) => `${troubleMessage(one, credential)} (${findEntry(credential, one.origin).field})`);
	const { credential: name } = findEntry(credential, '');
	return words(
		`No server was found. ${places.join('. ')}`,
		`Start ComfyUI or its API proxy, or correct these fields in the ${name} credential. ${DOCKER}`,
	);
}

/** Whether no field contains the address, so that a link or a redirect led there. */
function isNotEntered(address: string, credential: NamedCredential): boolean {
	const origin = originOf(address);
	return origin !== undefined && !enteredUrls(credential).map(originOf).includes(origin);
}

/** A server behind a reverse proxy may use its inner address in links. */
const linkAdvice = ({ isOwnServer, displayName }: NamedCredential): string =>
	isOwnServer === true
		? `A link or redirect from the server led to this address. If the server uses this address only internally, turn on ${fieldOf('Keep Links On This Address', displayName)}.`
		: 'A link or redirect from the service led to this address, for example to its file storage.';

const ADDRESS_TROUBLES: ReadonlySet<ConnectionTrouble> = new Set(['refused', 'dns', 'no_tls', 'only_tls']);

/** Returns the words for a request without a response. */
export function connectionWords(cause: ConnectionError, credential?: NamedCredential): Words {
	if (cause instanceof NoServerError) return noServerWords(cause, credential);
	const address = enteredAddress(cause.origin, credential);
	const place = findEntry(credential, cause.origin);
	const { silence, trouble } = cause;
	const isSilent = silence !== undefined && trouble === 'timeout';
	const [message, advice] = isSilent ? silentWords(silence, address, place) : troubles[trouble](address, place);
	if (credential === undefined || !ADDRESS_TROUBLES.has(cause.trouble) || !isNotEntered(cause.origin, credential))
		return words(message, advice);
	return words(message, `${linkAdvice(credential)} Check that n8n can reach this address.`);
}

function adviceFor(facts: UnreadableAnswerError['facts'], credential: NamedCredential | undefined): string {
	const { field, credential: name } = findEntry(credential, facts.address);
	if (facts.reason === 'truncated') return `The connection ended early. Try again. If it happens again, check ${PROXIES}.`;
	if ((facts.status >= 500 && facts.status !== 501) || facts.status === 429)
		return `The server, or a proxy in front of it, is not available now. Try again later. If it happens again, check that ${fieldOf(field, name)} is the address of this service.`;
	if (credential !== undefined && isNotEntered(facts.address, credential))
		return `${linkAdvice(credential)} Try again: the node requests a new link. If it happens again, check whether a proxy or a login page responds at this address.`;
	const path = pathIn(enteredAddress(facts.address, credential));
	if (facts.status === 404 && path !== '')
		return `Check ${fieldOf(field, name)}: its path ${path} may be wrong. ComfyUI uses a path only if a proxy in front of it adds one.`;
	return `Check that ${fieldOf(field, name)} is the address of this service, and that no proxy or login page responds in its place.`;
}

/** Access proxies such as Cloudflare Access redirect requests without their headers to a login page. */
function signInAdvice(credential: NamedCredential | undefined): string {
	if (credential?.isOwnServer !== true) return '';
	return credential.signInLabel === undefined
		? `, or choose ${fieldOf('Sign-In', credential.displayName)}`
		: `, or check ${fieldOf(credential.signInLabel, credential.displayName)}`;
}

/** API requests do not follow a redirect to another server. */
function redirectWords({ address, redirectsTo = '' }: UnreadableAnswerError['facts'], credential?: NamedCredential): [string, string] {
	const message = `${originOf(address)} redirects API requests to ${redirectsTo}`;
	if (credential !== undefined && isNotEntered(address, credential)) return [message, linkAdvice(credential)];
	const { field, credential: name } = findEntry(credential, address);
	return [
		message,
		`The node does not follow redirects of API requests to a different server. If ${redirectsTo} is the correct address, enter it as ${fieldOf(field, name)}. If it is a login page, use an address that does not require a login in a browser${signInAdvice(credentialAt(address, credential))}.`,
	];
}

/** Returns the words for a response that this service does not send. */
export function unreadableWords(facts: UnreadableAnswerError['facts'], credential?: NamedCredential): Words {
	if (facts.reason === 'other_origin') return words(...redirectWords(facts, credential));
	const got = {
		html: 'a web page',
		truncated: 'an incomplete response',
		not_json: `a response that is not JSON (${facts.contentType ?? 'no content type'})`,
		unexpected: 'a response that this service does not send',
	}[facts.reason];
	// The support of the service cannot use a request id of another product.
	const requestId = facts.requestId && facts.product === undefined ? `Request ID: ${facts.requestId}` : undefined;
	const other = otherServerWords(facts, credential);
	if (other !== undefined) return words(...other, requestId);
	return words(
		`${enteredAddress(facts.address, credential)} returned ${got} (HTTP ${facts.status})`,
		adviceFor(facts, credential),
		requestId,
	);
}
