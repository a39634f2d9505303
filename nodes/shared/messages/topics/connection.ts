import { defineMessages, fieldOf, joinNames, MOST_CHOICES } from '../words';

/** Where an address is entered. */
export interface EnteredAt {
	credential: string;
	field: string;
	isOwnServer?: boolean;
}

const DOCKER =
	'If n8n runs in Docker, 127.0.0.1 and localhost mean the container of n8n. Use host.docker.internal, or the name of the server’s container.';
const DEFAULT_PORTS = 'The default port is 8188 for ComfyUI, and 8000 for ComfyUI Desktop. ';
const PROXIES = 'any proxy between n8n and the server';
const SELF_HOSTED = 'use the credential Comfy Self-Hosted API';

/** Returns the host of an address. The text may be only a host name. */
const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : address);

const isAt = (address: string, product: string): string => `The server at ${address} is ${product}`;
const returned = (address: string, content: string, status: number): string => `${address} returned ${content} (HTTP ${status})`;

/** How to connect to ComfyUI itself. The field is hidden until the switch is on. */
const engineAddress = (credential: string): string =>
	`To connect to ComfyUI itself, turn on ComfyUI At Another Address in the ${credential} credential, and enter its address under ComfyUI Address (the default port is 8188).`;

/** What to do if a link or a redirect led to an address. A server behind a reverse proxy may use its inner address in links. */
export const linkAdvice = {
	ownServer: (credential: string): string =>
		`A link or redirect from the server led to this address. If the server uses this address only internally, turn on ${fieldOf('Use This Address For Links', credential)}.`,
	service: (): string => 'A link or redirect from the service led to this address, for example to its file storage.',
	checkReachable: 'Check that n8n can reach this address.',
};

/** What an API redirect says about the sign-in. */
export const loginPageAdvice = {
	none: (): string => '',
	choose: (credential: string): string => `, or choose ${fieldOf('Sign-In', credential)}`,
	check: (credential: string, field: string): string => `, or check ${fieldOf(field, credential)}`,
};

/** Requests without a usable response, and servers that are not the expected ones. */
export const connection = defineMessages({
	CONNECTION_REFUSED: (address: string, { credential, field, isOwnServer = false }: EnteredAt) => [
		`The server at ${address} cannot be reached: the connection was refused`,
		`Check that the server is running and that ${fieldOf(field, credential)} is correct. ${isOwnServer ? DEFAULT_PORTS : ''}${DOCKER}`,
	],
	HOST_NOT_FOUND: (address: string, { credential, field }: EnteredAt) => [
		`The host name in ${address} was not found`,
		`Check ${fieldOf(field, credential)} for typing errors.`,
	],
	CERTIFICATE_NOT_TRUSTED: (address: string, { credential }: EnteredAt) => [
		`n8n does not trust the TLS certificate of ${address}`,
		`Use an address with a certificate that n8n trusts. For your own server, turn on ${fieldOf('Ignore SSL Issues', credential)}.`,
	],
	SERVER_WITHOUT_TLS: (address: string, { credential, field }: EnteredAt) => [
		`The server at ${hostOf(address)} does not support TLS: use ${address.replace(/^https/, 'http')}`,
		`Enter ${fieldOf(field, credential)} with http:// instead of https://. Ignore SSL Issues has no effect, because the server has no certificate.`,
	],
	SERVER_NEEDS_TLS: (address: string, { credential, field }: EnteredAt) => [
		`The server at ${hostOf(address)} accepts only TLS connections: use ${address.replace(/^http:/, 'https:')}`,
		`Enter ${fieldOf(field, credential)} with https:// instead of http://.`,
	],
	RESPONSE_TIMEOUT: (address: string) => [
		`${address} did not respond in time`,
		`Try again later. If it happens again, check the load of the server and ${PROXIES}.`,
	],
	SERVER_SILENT: (address: string, within: string, { credential, field }: EnteredAt) => [
		`${address} did not respond ${within}`,
		`Check that the server is running, that ${fieldOf(field, credential)} is correct, and that no firewall blocks the connection.`,
	],
	DOWNLOAD_TOO_SLOW: (address: string) => [
		`The download from ${address} is too slow: less than 1 KiB per second for one minute`,
		`Try again later. If it happens again, check the load of the server and ${PROXIES}.`,
	],
	CONNECTION_LOST: (address: string) => [
		`The connection to ${address} was lost`,
		`Try again. If it happens again, check the server and ${PROXIES}.`,
	],
	CONNECTION_BLOCKED: (address: string) => [
		`n8n does not allow connections to ${address}`,
		'The administrator of n8n restricts the addresses that nodes can connect to. Ask the administrator to allow this address.',
	],
	LINK_LOCAL_ADDRESS: (address: string) => [
		`A link or redirect leads to the link-local address ${hostOf(address)}`,
		'The node connects to a link-local address only if you enter it in the credential, because cloud machines expose their secrets at such addresses. Check who runs the server.',
	],
	LINK_NOT_WEB: (address: string) => [
		`A link or redirect from the server leads to an address that is not a web address${address === '' ? '' : ` (${address})`}`,
		'The node opens only addresses that begin with http:// or https://. Check the server, and any proxy between n8n and the server.',
	],
	ADDRESS_NOT_VALID: (address: string, { credential, field }: EnteredAt) => [
		address === '' ? 'The address is not valid' : `"${address}" is not a valid address`,
		`Enter ${fieldOf(field, credential)} in the form https://host or http://host:port, also instead of ws:// or wss://. The address must not contain a user or a password: enter them under Sign-In of a Self-Hosted credential.`,
	],
	NO_SERVER_FOUND: (troubles: string, credential: string) => [
		`No server was found. ${troubles}`,
		`Start ComfyUI or its API proxy, or correct these fields in the ${credential} credential. ${DOCKER}`,
	],
	RESPONSE_INCOMPLETE: (address: string, content: string, status: number) => [
		returned(address, content, status),
		`The connection ended early. Try again. If it happens again, check ${PROXIES}.`,
	],
	SERVER_NOT_AVAILABLE: (address: string, content: string, status: number, { credential, field }: EnteredAt) => [
		returned(address, content, status),
		`The server, or a proxy in front of it, is not available now. Try again later. If it happens again, check that ${fieldOf(field, credential)} is the address of this service.`,
	],
	LINK_RETURNS_OTHER_CONTENT: (address: string, content: string, status: number, advice: string) => [
		returned(address, content, status),
		`${advice} Try again: the node requests a new link. If it happens again, check whether a proxy or a login page responds at this address.`,
	],
	ADDRESS_PATH_WRONG: (address: string, content: string, status: number, { credential, field }: EnteredAt, path: string) => [
		returned(address, content, status),
		`Check ${fieldOf(field, credential)}: its path ${path} may be wrong. ComfyUI uses a path only if a proxy in front of it adds one.`,
	],
	ADDRESS_OF_OTHER_SERVICE: (address: string, content: string, status: number, { credential, field }: EnteredAt) => [
		returned(address, content, status),
		`Check that ${fieldOf(field, credential)} is the address of this service, and that no proxy or login page responds in its place.`,
	],
	API_REDIRECTED: (origin: string, target: string, { credential, field }: EnteredAt, loginPage: string) => [
		`${origin} redirects API requests to ${target}`,
		`The node does not follow redirects of API requests to a different server. If ${target} is the correct address, enter it as ${fieldOf(field, credential)}. If it is a login page, use an address that does not require a login in a browser${loginPage}.`,
	],
	POOL_SERVER_SIGN_IN_MISSING: (address: string, field: string) => [
		`The server at ${address} requires its own sign-in (HTTP 401)`,
		`Enter the sign-in in ${field}.`,
	],
	SIGN_IN_REJECTED: (address: string, field: string) => [
		`The server at ${address} did not accept the sign-in (HTTP 401)`,
		`Check ${field}.`,
	],
	SIGN_IN_MISSING: (address: string, field: string) => [
		`The server at ${address} requires a sign-in (HTTP 401)`,
		`If a reverse proxy in front of ComfyUI requires it, check ${field}. If the API proxy requires it, check Token under More Settings.`,
	],
	POOL_SERVER_IS_PROXY: (address: string, field: string) => [
		`The server at ${address} is not ComfyUI itself, which Several ComfyUIs needs: it may be the API proxy`,
		`Enter the address of ComfyUI in ${field}.`,
	],
	SERVER_IS_COMFYUI: (address: string, credential: string) => [
		`The server at ${address} is not the API proxy: it responds like ComfyUI itself`,
		`Set Interface to Automatic or Engine. If the API proxy is running, enter its address under Address in the ${credential} credential.`,
	],
	SERVER_IS_PROXY: (address: string, credential: string) => [
		`The server at ${address} is not ComfyUI itself: it may be the API proxy`,
		`Set Interface to Automatic or v2. ${engineAddress(credential)}`,
	],
	OPERATION_NEEDS_COMFYUI: (credential: string) => [
		'This operation needs ComfyUI itself, because the API proxy does not offer it',
		engineAddress(credential),
	],
	ROUTER_URL_WRONG: (address: string, product: string, credential: string) => [
		`${isAt(address, product)}, not the model router`,
		`Under Router URL in the ${credential} credential, enter https://api.comfy.org, or the address of your own router.`,
	],
	OWN_SERVER_IS_N8N: (address: string, product: string, { credential, field }: EnteredAt) => [
		`${isAt(address, product)}, not ComfyUI`,
		`Under ${field} in the ${credential} credential, enter the address at which you open the editor of ComfyUI. Its default port is 8188, or 8000 for ComfyUI Desktop.`,
	],
	SERVICE_IS_N8N: (address: string, product: string, { credential, field }: EnteredAt) => [
		`${isAt(address, product)}, not the service that runs ComfyUI workflows`,
		`Under ${field} in the ${credential} credential, enter https://cloud.comfy.org for the hosted service, or the address of your deployment. For your own ComfyUI, ${SELF_HOSTED}.`,
	],
	OWN_SERVER_IS_ROUTER: (address: string, product: string) => [
		`${isAt(address, product)}, which does not run workflows`,
		'To run partner models, use Comfy Run Router Model with the credential Comfy API.',
	],
	SERVICE_IS_ROUTER: (address: string, product: string, { credential, field }: EnteredAt) => [
		`${isAt(address, product)}, which does not run workflows`,
		`Enter this address as ${fieldOf('Router URL', credential)}. Under ${field}, enter the address that runs jobs: https://cloud.comfy.org, or the address of your deployment.`,
	],
	SERVICE_IS_OWN_SERVER: (address: string, product: string, { credential, field }: EnteredAt) => [
		`${isAt(address, product)}: ${SELF_HOSTED}`,
		`Create a credential in the node, choose Self-Hosted in its form, and enter this address. ${field} in the ${credential} credential is only for the hosted service and deployments.`,
	],
	USERS_NOT_ENABLED: (credential: string) => [
		'This ComfyUI has no users, because it was started without --multi-user',
		`Start ComfyUI with --multi-user, or set ${fieldOf('Sign-In', credential)} to None.`,
	],
	USER_NAME_SHARED: (user: string, ids: string[], credential: string) => [
		`ComfyUI has ${ids.length} users with the name "${user}"`,
		`Enter the ID of one of them in ${fieldOf('ComfyUI User', credential)}.`,
		`IDs: ${joinNames(ids, MOST_CHOICES)}`,
	],
	USER_UNKNOWN: (user: string, names: string[], credential: string) => [
		`ComfyUI does not have the user "${user}"`,
		`Enter the name or ID of one of these users in ${fieldOf('ComfyUI User', credential)}: ${joinNames(names, MOST_CHOICES)}.`,
	],
	NO_USERS_YET: (user: string) => [
		`ComfyUI does not have the user "${user}"`,
		'It has no users yet. Open ComfyUI in a browser and create one.',
	],
});
