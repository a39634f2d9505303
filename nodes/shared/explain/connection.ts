import {
	type ConnectionError,
	type ConnectionTrouble,
	NoServerError,
	type Product,
	type Silence,
	type UnknownUserError,
	type UnreadableAnswerError,
} from '../../../client';
import { credentialAt, enteredAddress, enteredUrls, type NamedCredential, originOf } from '../credentials';
import { messages } from '../messages/catalogue';
import { type EnteredAt, linkAdvice, loginPageAdvice } from '../messages/topics/connection';
import { fieldOf, visibleName, type Words, withAdvice } from '../messages/words';

type ServerAnswer = UnreadableAnswerError['facts'];

const pathIn = (address: string): string => (URL.canParse(address) ? new URL(address).pathname.replace(/^\/$/, '') : '');

const troubles: Record<ConnectionTrouble, (address: string, place: EnteredAt) => Words> = {
	refused: messages.CONNECTION_REFUSED,
	dns: messages.HOST_NOT_FOUND,
	tls: messages.CERTIFICATE_NOT_TRUSTED,
	no_tls: messages.SERVER_WITHOUT_TLS,
	only_tls: messages.SERVER_NEEDS_TLS,
	timeout: messages.RESPONSE_TIMEOUT,
	too_slow: messages.DOWNLOAD_TOO_SLOW,
	lost: messages.CONNECTION_LOST,
	blocked: messages.CONNECTION_BLOCKED,
	link_local: messages.LINK_LOCAL_ADDRESS,
	not_web: messages.LINK_NOT_WEB,
	invalid_address: messages.ADDRESS_NOT_VALID,
};

/** Returns what happened, without advice. */
export const troubleMessage = ({ trouble, origin }: Pick<ConnectionError, 'trouble' | 'origin'>, credential?: NamedCredential): string =>
	troubles[trouble](enteredAddress(origin, credential), { credential: '', field: '' }).message;

const within = ({ limitMs }: Silence): string => (limitMs > 0 ? `within ${Math.round(limitMs / 1_000)} s` : 'in time');

/** Returns where the address is entered. @param address of the failed request. */
function findEntry(credential: NamedCredential | undefined, address: string): EnteredAt {
	const isEngine = originOf(address) !== undefined && originOf(address) === originOf(credential?.engineUrl);
	const { displayName = 'Comfy', addressLabel = 'Base URL', isOwnServer } = credentialAt(address, credential) ?? {};
	return { credential: displayName, field: isEngine ? 'ComfyUI Address' : addressLabel, isOwnServer };
}

/** No address of a self-hosted server responds. */
function noServerWords({ tried }: NoServerError, credential?: NamedCredential): Words {
	const places = tried.map((one) => `${troubleMessage(one, credential)} (${findEntry(credential, one.origin).field})`);
	return messages.NO_SERVER_FOUND(places.join('. '), findEntry(credential, '').credential);
}

/** Whether no field contains the address, so that a link or a redirect led there. */
function isNotEntered(address: string, credential: NamedCredential): boolean {
	const origin = originOf(address);
	return origin !== undefined && !enteredUrls(credential).map(originOf).includes(origin);
}

const adviceOnLink = ({ isOwnServer, displayName }: NamedCredential): string =>
	isOwnServer === true ? linkAdvice.ownServer(displayName) : linkAdvice.service();

const ADDRESS_TROUBLES: ReadonlySet<ConnectionTrouble> = new Set(['refused', 'dns', 'no_tls', 'only_tls']);

/** Returns the words for a request without a response. */
export function connectionWords(cause: ConnectionError, credential?: NamedCredential): Words {
	if (cause instanceof NoServerError) return noServerWords(cause, credential);
	const address = enteredAddress(cause.origin, credential);
	const place = findEntry(credential, cause.origin);
	const { silence, trouble } = cause;
	const isSilent = silence !== undefined && trouble === 'timeout';
	const words = isSilent ? messages.SERVER_SILENT(address, within(silence), place) : troubles[trouble](address, place);
	if (credential === undefined || !ADDRESS_TROUBLES.has(trouble) || !isNotEntered(cause.origin, credential)) return words;
	return withAdvice(words, `${adviceOnLink(credential)} ${linkAdvice.checkReachable}`);
}

const isUnavailable = ({ status }: ServerAnswer): boolean => (status >= 500 && status !== 501) || status === 429;

/** Returns the words for a response that no product is known to send. */
function otherContentWords(facts: ServerAnswer, credential: NamedCredential | undefined): Words {
	const { status, reason } = facts;
	const address = enteredAddress(facts.address, credential);
	const place = findEntry(credential, facts.address);
	const content = {
		html: 'a web page',
		truncated: 'an incomplete response',
		not_json: `a response that is not JSON (${facts.contentType ?? 'no content type'})`,
		unexpected: 'a response that this service does not send',
		other_origin: 'a redirect',
	}[reason];
	if (reason === 'truncated') return messages.RESPONSE_INCOMPLETE(address, content, status);
	if (isUnavailable(facts)) return messages.SERVER_NOT_AVAILABLE(address, content, status, place);
	if (credential !== undefined && isNotEntered(facts.address, credential))
		return messages.LINK_RETURNS_OTHER_CONTENT(address, content, status, adviceOnLink(credential));
	const path = pathIn(address);
	if (status === 404 && path !== '') return messages.ADDRESS_PATH_WRONG(address, content, status, place, path);
	return messages.ADDRESS_OF_OTHER_SERVICE(address, content, status, place);
}

/** Access proxies such as Cloudflare Access redirect requests without their headers to a login page. */
function signInAdvice(credential: NamedCredential | undefined): string {
	if (credential?.isOwnServer !== true) return loginPageAdvice.none();
	const { displayName: name, signInLabel } = credential;
	return signInLabel === undefined ? loginPageAdvice.choose(name) : loginPageAdvice.check(name, signInLabel);
}

/** API requests do not follow a redirect to another server. */
function redirectWords({ address, redirectsTo = '' }: ServerAnswer, credential?: NamedCredential): Words {
	const words = messages.API_REDIRECTED(
		String(originOf(address)),
		redirectsTo,
		findEntry(credential, address),
		signInAdvice(credentialAt(address, credential)),
	);
	return credential !== undefined && isNotEntered(address, credential) ? withAdvice(words, adviceOnLink(credential)) : words;
}

/** Returns the words for a response that this service does not send. */
export function unreadableWords(facts: ServerAnswer, credential?: NamedCredential): Words {
	if (facts.reason === 'other_origin') return redirectWords(facts, credential);
	const words = otherServerWords(facts, credential) ?? otherContentWords(facts, credential);
	// The support of the service cannot use a request id of another product.
	return facts.requestId && facts.product === undefined ? withAdvice(words, words.advice, `Request ID: ${facts.requestId}`) : words;
}

/** Whether this is how ComfyUI responds to an unknown route or a missing file. */
const isEngineAnswer = ({ status, reason, contentType }: ServerAnswer): boolean =>
	[404, 405].includes(status) &&
	reason !== 'html' &&
	reason !== 'truncated' &&
	/^(text\/plain|application\/octet-stream)\b/.test(contentType ?? '');

const isNotFromEngine = ({ status, reason }: ServerAnswer): boolean => status === 404 && reason === 'unexpected';

/** Returns the label of the field that contains the sign-in for a reverse proxy, or in which to choose one. */
export function signInField(credential: NamedCredential | undefined): string {
	if (credential?.signInLabel !== undefined) return credential.signInLabel;
	return credential?.authorization ? 'ComfyUI Authorization' : 'Sign-In';
}

/** Returns the words for a login in front of a self-hosted server, which may have rejected what the credential contains. */
function loginWords(address: string, credential: NamedCredential): Words {
	const { displayName: name, signInLabel, headers = {} } = credential;
	const field = fieldOf(signInField(credential), name);
	if (signInLabel === undefined) return messages.SIGN_IN_MISSING(address, field);
	return (Object.keys(headers).length === 0 ? messages.POOL_SERVER_SIGN_IN_MISSING : messages.SIGN_IN_REJECTED)(address, field);
}

/** Returns the words for another product at the address, or for a login in front of a self-hosted server. */
function otherServerWords(facts: ServerAnswer, entered: NamedCredential | undefined): Words | undefined {
	if (entered === undefined) return undefined;
	const address = enteredAddress(facts.address, entered);
	const credential = credentialAt(facts.address, entered);
	const { interface: chosen, displayName: name, isOwnServer } = credential;
	const other = facts.product && otherProductWords(facts.product, address, credential);
	if (other !== undefined || isOwnServer !== true) return other;
	if (facts.status === 401) return loginWords(address, credential);
	if (credential.moreServers !== undefined && isNotFromEngine(facts))
		return messages.POOL_SERVER_IS_PROXY(address, fieldOf(credential.addressLabel, name));
	if (chosen === 'v2' && isEngineAnswer(facts)) return messages.SERVER_IS_COMFYUI(address, name);
	if (chosen === 'engine' && isNotFromEngine(facts)) return messages.SERVER_IS_PROXY(address, name);
	return credential.needsEngine === true && isNotFromEngine(facts) ? messages.OPERATION_NEEDS_COMFYUI(name) : undefined;
}

const PRODUCTS: Record<Product, string> = {
	comfyui: 'ComfyUI itself',
	proxy: 'the API proxy of a ComfyUI',
	service: 'the hosted service, a deployment or the API proxy',
	router: 'the model router',
	n8n: 'n8n',
};

/** Returns which product responds, and where its address belongs. */
function otherProductWords(product: Product, address: string, credential: NamedCredential): Words | undefined {
	const { displayName: name, addressLabel: field, isOwnServer = false } = credential;
	const [place, productName] = [{ credential: name, field }, PRODUCTS[product]];
	if (field === 'Router URL') return product === 'router' ? undefined : messages.ROUTER_URL_WRONG(address, productName, name);
	if (product === 'n8n') return (isOwnServer ? messages.OWN_SERVER_IS_N8N : messages.SERVICE_IS_N8N)(address, productName, place);
	if (product === 'router')
		return isOwnServer ? messages.OWN_SERVER_IS_ROUTER(address, productName) : messages.SERVICE_IS_ROUTER(address, productName, place);
	return isOwnServer || product === 'service' ? undefined : messages.SERVICE_IS_OWN_SERVER(address, productName, place);
}

/** The user in *ComfyUI User* is not one user of the server. */
export function unknownUserWords({ user, users }: UnknownUserError, credential?: NamedCredential): Words {
	const name = credential?.displayName ?? 'Comfy Self-Hosted API';
	if (users === undefined) return messages.USERS_NOT_ENABLED(name);
	const ids = Object.entries(users).flatMap(([id, other]) => (other === user ? [id] : []));
	if (ids.length > 1) return messages.USER_NAME_SHARED(visibleName(user), ids.map(visibleName), name);
	const names = Object.values(users).map(visibleName);
	return names.length === 0 ? messages.NO_USERS_YET(visibleName(user)) : messages.USER_UNKNOWN(visibleName(user), names, name);
}
