import { type ConnectionError, type ConnectionTrouble, NoServerError, type UnreadableAnswerError } from '../../../client';
import type { NamedCredential } from '../operations';
import { otherServer } from './otherServer';
import { type Words, words } from './words';
import { fieldOf } from './fieldOf';

const hostOf = (origin: string): string => new URL(origin).host;

/** What happened. */
export const troubleTold: Record<ConnectionTrouble, (origin: string) => string> = {
	refused: (origin) => `Nothing answers at ${origin}: the connection was refused`,
	dns: (origin) => `The host name in ${origin} is not known`,
	tls: (origin) => `The certificate of ${origin} cannot be trusted (TLS)`,
	no_tls: (origin) => `The server at ${hostOf(origin)} speaks no TLS: use ${origin.replace(/^https/, 'http')}`,
	only_tls: (origin) => `The server at ${hostOf(origin)} speaks TLS only: use ${origin.replace(/^http:/, 'https:')}`,
	timeout: (origin) => `${origin} did not answer in time`,
	lost: (origin) => `The connection to ${origin} was lost`,
	blocked: (origin) => `n8n does not allow connections to ${origin}`,
	invalid_address: (origin) => (origin === '' ? 'The address is not usable' : `"${origin}" is not a usable address`),
};

const DOCKER = 'If n8n runs in Docker, 127.0.0.1 and localhost are the container itself: use host.docker.internal, or the name of the server’s own container.';

type Place = { credential: string; field: string };

const advice: Record<ConnectionTrouble, (place: Place) => string> = {
	refused: ({ credential, field }) =>
		`Check that the server is running and that ${fieldOf(field, credential)} is right. ${DOCKER}`,
	dns: ({ credential, field }) => `Check ${fieldOf(field, credential)} for a typing mistake.`,
	tls: ({ credential }) =>
		`Use an address whose certificate n8n trusts. For a server of your own, turn on ${fieldOf('Ignore SSL Issues', credential)}.`,
	no_tls: ({ credential, field }) => `Enter ${fieldOf(field, credential)} with http:// in place of https://. Ignore SSL Issues does not help: there is no certificate.`,
	only_tls: ({ credential, field }) => `Enter ${fieldOf(field, credential)} with https:// in place of http://.`,
	timeout: () => 'Try again later; if it keeps happening, look at the load of the server and at proxies between.',
	lost: () => 'Try again; if it keeps happening, look at the server and at proxies between.',
	blocked: () => 'The administrator of n8n limits which addresses nodes may reach; ask for this one to be allowed.',
	invalid_address: ({ credential, field }) =>
		`Enter ${fieldOf(field, credential)} as https://host or http://host:port.`,
};

const originOf = (url: string | undefined): string | undefined => (url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined);

/** Where the address in use is entered. @param address of whatever went wrong. */
function placeOf(credential: NamedCredential | undefined, address: string): Place {
	const isEngine = originOf(address) !== undefined && originOf(address) === originOf(credential?.engineUrl);
	return { credential: credential?.displayName ?? 'Comfy', field: isEngine ? 'Engine Address' : (credential?.addressLabel ?? 'Base URL') };
}

/** Nobody answers at any of the addresses of a server of one's own. */
function noServerWords({ tried }: NoServerError, credential?: NamedCredential): Words {
	const places = tried.map(({ trouble, origin }) => `${troubleTold[trouble](origin)} (${placeOf(credential, origin).field})`);
	const { credential: name } = placeOf(credential, '');
	return words(`No server was found. ${places.join('. ')}`, `Start ComfyUI, or the API proxy in front of it, or correct these fields in the ${name} credential. ${DOCKER}`);
}

/** No answer came. */
export const connectionWords = (cause: ConnectionError, credential?: NamedCredential): Words =>
	cause instanceof NoServerError ? noServerWords(cause, credential) : words(troubleTold[cause.trouble](cause.origin), advice[cause.trouble](placeOf(credential, cause.origin)));

/** An answer came, but not from this service. */
export function unreadableWords(facts: UnreadableAnswerError['facts'], credential?: NamedCredential): Words {
	const got = {
		html: 'a web page',
		truncated: 'half an answer',
		not_json: `an answer that is not JSON (${facts.contentType ?? 'no content type'})`,
		unexpected: 'an answer this service does not give',
	}[facts.reason];
	const place = placeOf(credential, facts.address);
	// Another product's says nothing to the support of this one.
	const requestId = facts.requestId && facts.product === undefined ? `Request id: ${facts.requestId}` : undefined;
	const other = otherServer(facts, credential);
	if (other !== undefined) return words(...other, requestId);
	return words(
		`${originOf(facts.address)} sent ${got} (HTTP ${facts.status})`,
		facts.reason === 'truncated'
			? 'The connection ended early. Try again; if it keeps happening, look at proxies between n8n and the service.'
			: `Check that ${fieldOf(place.field, place.credential)} is the address of this service; a proxy or a login page may stand in between.`,
		requestId,
	);
}
