import { type ConnectionError, type ConnectionTrouble, NoServerError, type UnreadableAnswerError } from '../../../client';
import { type NamedCredential, originOf } from '../credentials';
import { otherServer } from './otherServer';
import { type Words, words } from './words';
import { fieldOf } from './fieldOf';

const hostOf = (origin: string): string => new URL(origin).host;

const DOCKER =
	'If n8n runs in Docker, 127.0.0.1 and localhost are the container itself: use host.docker.internal, or the name of the server’s own container.';

type EnteredAt = { credential: string; field: string };

/** What happened, and how to go on. */
const troubles: Record<ConnectionTrouble, (origin: string, place: EnteredAt) => [string, string]> = {
	refused: (origin, { credential, field }) => [
		`Nothing answers at ${origin}: the connection was refused`,
		`Check that the server is running and that ${fieldOf(field, credential)} is right. ${DOCKER}`,
	],
	dns: (origin, { credential, field }) => [
		`The host name in ${origin} is not known`,
		`Check ${fieldOf(field, credential)} for a typing mistake.`,
	],
	tls: (origin, { credential }) => [
		`The certificate of ${origin} cannot be trusted (TLS)`,
		`Use an address whose certificate n8n trusts. For a server of your own, turn on ${fieldOf('Ignore SSL Issues', credential)}.`,
	],
	no_tls: (origin, { credential, field }) => [
		`The server at ${hostOf(origin)} speaks no TLS: use ${origin.replace(/^https/, 'http')}`,
		`Enter ${fieldOf(field, credential)} with http:// in place of https://. Ignore SSL Issues does not help: there is no certificate.`,
	],
	only_tls: (origin, { credential, field }) => [
		`The server at ${hostOf(origin)} speaks TLS only: use ${origin.replace(/^http:/, 'https:')}`,
		`Enter ${fieldOf(field, credential)} with https:// in place of http://.`,
	],
	timeout: (origin) => [
		`${origin} did not answer in time`,
		'Try again later; if it keeps happening, look at the load of the server and at proxies between.',
	],
	lost: (origin) => [
		`The connection to ${origin} was lost`,
		'Try again; if it keeps happening, look at the server and at proxies between.',
	],
	blocked: (origin) => [
		`n8n does not allow connections to ${origin}`,
		'The administrator of n8n limits which addresses nodes may reach; ask for this one to be allowed.',
	],
	invalid_address: (origin, { credential, field }) => [
		origin === '' ? 'The address is not usable' : `"${origin}" is not a usable address`,
		`Enter ${fieldOf(field, credential)} as https://host or http://host:port.`,
	],
};

/** What happened, where nobody has to mend it. */
export const troubleTold = ({ trouble, origin }: Pick<ConnectionError, 'trouble' | 'origin'>): string =>
	troubles[trouble](origin, { credential: '', field: '' })[0];

/** Where the address in use is entered. @param address of whatever went wrong. */
function enteredAt(credential: NamedCredential | undefined, address: string): EnteredAt {
	const isEngine = originOf(address) !== undefined && originOf(address) === originOf(credential?.engineUrl);
	return { credential: credential?.displayName ?? 'Comfy', field: isEngine ? 'Engine Address' : (credential?.addressLabel ?? 'Base URL') };
}

/** Nobody answers at any of the addresses of a server of one's own. */
function noServerWords({ tried }: NoServerError, credential?: NamedCredential): Words {
	const places = tried.map((one) => `${troubleTold(one)} (${enteredAt(credential, one.origin).field})`);
	const { credential: name } = enteredAt(credential, '');
	return words(
		`No server was found. ${places.join('. ')}`,
		`Start ComfyUI, or the API proxy in front of it, or correct these fields in the ${name} credential. ${DOCKER}`,
	);
}

/** Whether no field holds an address: a link or a redirect has led there. */
function isElsewhere(address: string, { baseUrl, engineUrl, hostedUrl }: NamedCredential): boolean {
	const origin = originOf(address);
	return origin !== undefined && ![baseUrl, engineUrl, hostedUrl].map(originOf).includes(origin);
}

/** A server behind a reverse proxy names itself as it is called there. */
const howLedThere = ({ isOwnServer, displayName }: NamedCredential): string =>
	isOwnServer === true
		? `A link or a redirect of the server led there. If that is an address which the server has for itself, turn on ${fieldOf('Keep Links On This Address', displayName)}.`
		: 'A link or a redirect of the service led there: to where it keeps its files, for instance.';

const OF_AN_ADDRESS: ReadonlySet<ConnectionTrouble> = new Set(['refused', 'dns', 'no_tls', 'only_tls']);

/** No answer came. */
export function connectionWords(cause: ConnectionError, credential?: NamedCredential): Words {
	if (cause instanceof NoServerError) return noServerWords(cause, credential);
	const [message, advice] = troubles[cause.trouble](cause.origin, enteredAt(credential, cause.origin));
	if (credential === undefined || !OF_AN_ADDRESS.has(cause.trouble) || !isElsewhere(cause.origin, credential))
		return words(message, advice);
	return words(message, `${howLedThere(credential)} Check that n8n can reach that address.`);
}

function adviceFor(facts: UnreadableAnswerError['facts'], credential: NamedCredential | undefined): string {
	const { field, credential: name } = enteredAt(credential, facts.address);
	if (facts.reason === 'truncated')
		return 'The connection ended early. Try again; if it keeps happening, look at proxies between n8n and the service.';
	if ((facts.status >= 500 && facts.status !== 501) || facts.status === 429)
		return `The server, or a proxy in front of it, cannot do it for now. Try again later; if it keeps happening, check that ${fieldOf(field, name)} is the address of this service.`;
	if (credential !== undefined && isElsewhere(facts.address, credential))
		return `${howLedThere(credential)} Try again, which asks for a new link; if it keeps happening, a proxy or a login page may stand in between.`;
	return `Check that ${fieldOf(field, name)} is the address of this service; a proxy or a login page may stand in between.`;
}

/** An answer came, but not from this service. */
export function unreadableWords(facts: UnreadableAnswerError['facts'], credential?: NamedCredential): Words {
	const got = {
		html: 'a web page',
		truncated: 'half an answer',
		not_json: `an answer that is not JSON (${facts.contentType ?? 'no content type'})`,
		unexpected: 'an answer this service does not give',
	}[facts.reason];
	// Another product's says nothing to the support of this one.
	const requestId = facts.requestId && facts.product === undefined ? `Request id: ${facts.requestId}` : undefined;
	const other = otherServer(facts, credential);
	if (other !== undefined) return words(...other, requestId);
	return words(`${originOf(facts.address)} sent ${got} (HTTP ${facts.status})`, adviceFor(facts, credential), requestId);
}
