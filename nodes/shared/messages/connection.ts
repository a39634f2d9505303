import { type ConnectionError, type ConnectionTrouble, NoServerError, type UnreadableAnswerError } from '../../../client';
import { enteredAddress, type NamedCredential, originOf } from '../credentials';
import { otherServerWords } from './otherServer';
import { fieldOf, type Words, words } from './words';

/** Returns the host of an address. The text may be only a host name. */
const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : address);
const pathIn = (address: string): string => (URL.canParse(address) ? new URL(address).pathname.replace(/^\/$/, '') : '');

const DOCKER =
	'If n8n runs in Docker, 127.0.0.1 and localhost are the container itself: use host.docker.internal, or the name of the server’s own container.';

/** The credential and the field in which the address is entered. */
type EnteredAt = { credential: string; field: string };

/** For each trouble, what happened and what to do. */
const troubles: Record<ConnectionTrouble, (address: string, place: EnteredAt) => [string, string]> = {
	refused: (address, { credential, field }) => [
		`Nothing answers at ${address}: the connection was refused`,
		`Check that the server is running and that ${fieldOf(field, credential)} is right. ${DOCKER}`,
	],
	dns: (address, { credential, field }) => [
		`The host name in ${address} is not known`,
		`Check ${fieldOf(field, credential)} for a typing mistake.`,
	],
	tls: (address, { credential }) => [
		`The certificate of ${address} cannot be trusted (TLS)`,
		`Use an address whose certificate n8n trusts. For a server of your own, turn on ${fieldOf('Ignore SSL Issues', credential)}.`,
	],
	no_tls: (address, { credential, field }) => [
		`The server at ${hostOf(address)} speaks no TLS: use ${address.replace(/^https/, 'http')}`,
		`Enter ${fieldOf(field, credential)} with http:// in place of https://. Ignore SSL Issues does not help: there is no certificate.`,
	],
	only_tls: (address, { credential, field }) => [
		`The server at ${hostOf(address)} speaks TLS only: use ${address.replace(/^http:/, 'https:')}`,
		`Enter ${fieldOf(field, credential)} with https:// in place of http://.`,
	],
	timeout: (address) => [
		`${address} did not answer in time`,
		'Try again later; if it keeps happening, look at the load of the server and at proxies between.',
	],
	too_slow: (address) => [
		`The download from ${address} is too slow: less than 1 KiB per second for a minute`,
		'Run the item again later. If it happens again, check the load of the server and the network between.',
	],
	lost: (address) => [
		`The connection to ${address} was lost`,
		'Try again; if it keeps happening, look at the server and at proxies between.',
	],
	blocked: (address) => [
		`n8n does not allow connections to ${address}`,
		'The administrator of n8n limits which addresses nodes may reach; ask for this one to be allowed.',
	],
	link_local: (address) => [
		`A link or a redirect leads to ${hostOf(address)}, which is a link-local address`,
		'The node connects to such an address only if you enter it in the credential, because clouds give out secrets of the machine there. Check who runs the server.',
	],
	invalid_address: (address, { credential, field }) => [
		address === '' ? 'The address is not usable' : `"${address}" is not a usable address`,
		`Enter ${fieldOf(field, credential)} as https://host or http://host:port.`,
	],
};

/** Returns what happened, without advice. */
export const troubleMessage = ({ trouble, origin }: Pick<ConnectionError, 'trouble' | 'origin'>, credential?: NamedCredential): string =>
	troubles[trouble](enteredAddress(origin, credential), { credential: '', field: '' })[0];

const WAIT_LONGER = 'If the machine needs time to start, add the option Wait For Server (Minutes) and enter more minutes.';

/** The server did not answer for the whole time of the option *Wait For Server*. */
function unansweredWords(cause: ConnectionError, address: string, { credential, field }: EnteredAt): [string, string] {
	const { trouble, unansweredForMs: forMs = 0 } = cause;
	const [message, advice] = troubles[trouble](address, { credential, field });
	const within = forMs > 0 ? ` within ${Math.round(forMs / 1_000)} s` : '';
	if (trouble !== 'timeout') return [message, `${advice} ${WAIT_LONGER}`];
	return [
		`${address} did not answer${within || ' in time'}`,
		`Check that the server is running, that ${fieldOf(field, credential)} is right, and that no firewall is in between. ${WAIT_LONGER}`,
	];
}

/** Returns where the address is entered. @param address of the failed request. */
function findEntry(credential: NamedCredential | undefined, address: string): EnteredAt {
	const isEngine = originOf(address) !== undefined && originOf(address) === originOf(credential?.engineUrl);
	return { credential: credential?.displayName ?? 'Comfy', field: isEngine ? 'Engine Address' : (credential?.addressLabel ?? 'Base URL') };
}

/** No address of a self-hosted server answers. */
function noServerWords({ tried, unansweredForMs }: NoServerError, credential?: NamedCredential): Words {
	const places = tried.map((one) => `${troubleMessage(one, credential)} (${findEntry(credential, one.origin).field})`);
	const { credential: name } = findEntry(credential, '');
	return words(
		`No server was found. ${places.join('. ')}`,
		`Start ComfyUI, or the API proxy in front of it, or correct these fields in the ${name} credential. ${DOCKER}`,
		unansweredForMs === undefined ? undefined : WAIT_LONGER,
	);
}

/** Whether no field contains the address, so that a link or a redirect led there. */
function isNotEntered(address: string, { baseUrl, engineUrl, hostedUrl }: NamedCredential): boolean {
	const origin = originOf(address);
	return origin !== undefined && ![baseUrl, engineUrl, hostedUrl].map(originOf).includes(origin);
}

/** A server behind a reverse proxy may use its inner address in links. */
const linkAdvice = ({ isOwnServer, displayName }: NamedCredential): string =>
	isOwnServer === true
		? `A link or a redirect of the server led there. If that is an address which the server has for itself, turn on ${fieldOf('Keep Links On This Address', displayName)}.`
		: 'A link or a redirect of the service led there: to where it keeps its files, for instance.';

const ADDRESS_TROUBLES: ReadonlySet<ConnectionTrouble> = new Set(['refused', 'dns', 'no_tls', 'only_tls']);

/** Returns the words for a request without an answer. */
export function connectionWords(cause: ConnectionError, credential?: NamedCredential): Words {
	if (cause instanceof NoServerError) return noServerWords(cause, credential);
	const address = enteredAddress(cause.origin, credential);
	const place = findEntry(credential, cause.origin);
	const [message, advice] =
		cause.unansweredForMs === undefined ? troubles[cause.trouble](address, place) : unansweredWords(cause, address, place);
	if (credential === undefined || !ADDRESS_TROUBLES.has(cause.trouble) || !isNotEntered(cause.origin, credential))
		return words(message, advice);
	return words(message, `${linkAdvice(credential)} Check that n8n can reach that address.`);
}

function adviceFor(facts: UnreadableAnswerError['facts'], credential: NamedCredential | undefined): string {
	const { field, credential: name } = findEntry(credential, facts.address);
	if (facts.reason === 'truncated')
		return 'The connection ended early. Try again; if it keeps happening, look at proxies between n8n and the service.';
	if ((facts.status >= 500 && facts.status !== 501) || facts.status === 429)
		return `The server, or a proxy in front of it, cannot do it for now. Try again later; if it keeps happening, check that ${fieldOf(field, name)} is the address of this service.`;
	if (credential !== undefined && isNotEntered(facts.address, credential))
		return `${linkAdvice(credential)} Try again, which asks for a new link; if it keeps happening, a proxy or a login page may stand in between.`;
	const path = pathIn(enteredAddress(facts.address, credential));
	if (facts.status === 404 && path !== '')
		return `Check ${fieldOf(field, name)}: its path ${path} may be wrong. ComfyUI has no path unless a proxy in front of it adds one.`;
	return `Check that ${fieldOf(field, name)} is the address of this service; a proxy or a login page may stand in between.`;
}

/** API requests do not follow a redirect to another server. */
function redirectWords({ address, redirectsTo = '' }: UnreadableAnswerError['facts'], credential?: NamedCredential): [string, string] {
	const message = `${originOf(address)} redirects API requests to ${redirectsTo}`;
	if (credential !== undefined && isNotEntered(address, credential)) return [message, linkAdvice(credential)];
	const { field, credential: name } = findEntry(credential, address);
	return [
		message,
		`The node does not follow API requests to another server. If ${redirectsTo} is the right address, enter it as ${fieldOf(field, name)}. If it is a login page, use an address that needs no login in a browser.`,
	];
}

/** Returns the words for an answer that this service does not give. */
export function unreadableWords(facts: UnreadableAnswerError['facts'], credential?: NamedCredential): Words {
	if (facts.reason === 'other_origin') return words(...redirectWords(facts, credential));
	const got = {
		html: 'a web page',
		truncated: 'half an answer',
		not_json: `an answer that is not JSON (${facts.contentType ?? 'no content type'})`,
		unexpected: 'an answer this service does not give',
	}[facts.reason];
	// The support of the service cannot use a request id of another product.
	const requestId = facts.requestId && facts.product === undefined ? `Request id: ${facts.requestId}` : undefined;
	const other = otherServerWords(facts, credential);
	if (other !== undefined) return words(...other, requestId);
	return words(`${enteredAddress(facts.address, credential)} sent ${got} (HTTP ${facts.status})`, adviceFor(facts, credential), requestId);
}
