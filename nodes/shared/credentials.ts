import { createHash } from 'node:crypto';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { type ConnectSettings, parseBaseUrl, type RouterPrefix, withScheme } from '../../client';
import { DEFAULT_HOSTED_URL, DEFAULT_ROUTER_URL } from '../../credentials/defaultAddresses';
import { ItemFault } from './itemFault';
import { type MoreServer, readMoreServers } from './moreServers';
import { readSignIn, type SignIn } from './signIn';
import { messages } from './messages/catalogue';

export type CredentialName = 'comfyApi' | 'comfySelfHostedApi';

/** The values of the option *Interface*. */
export type ChosenInterface = ConnectSettings['interface'] | 'automatic';

/** What messages name of a credential, and the secrets that they must not contain. */
export interface NamedCredential {
	/** Its name in n8n. */
	displayName: string;
	/** The label of its secret field. */
	secretLabel: 'API Key' | 'Token' | 'JWT' | 'ComfyUI Authorization' | NonNullable<SignIn['label']>;
	/** The address in use. */
	baseUrl: string;
	rejectUnauthorized: boolean;
	/** The label of the field that holds `baseUrl`. */
	addressLabel: 'Address' | 'Base URL' | 'Hosted URL' | 'ComfyUI Address' | 'Router URL' | MoreServer['field'];
	/** The second address at which a server is looked for, from the field *ComfyUI Address*. Empty if there is none. */
	engineUrl?: string;
	/** The address of the account's v1 interface. */
	hostedUrl?: string;
	/** The value of the option *Interface*. */
	interface?: ChosenInterface;
	/** Whether the server is self-hosted, with or without the API proxy. */
	isOwnServer?: boolean;
	/** Whether the operation needs the engine itself and cannot use the API proxy. */
	needsEngine?: boolean;
	token: string;
	partnerKey: string;
	/** The token of a signed-in user for partner nodes. Empty if there is none. */
	partnerAuthToken?: string;
	/** The Authorization header for a reverse proxy in front of an engine. */
	authorization?: string;
	/** More headers that the user entered, names in lower case. All values are secrets. */
	headers?: Record<string, string>;
	/** The labels of the fields that set them. */
	signInLabel?: MoreServer['signInLabel'];
	/** The servers of a pool in addition to the one at `baseUrl`. Absent if there are none. */
	moreServers?: readonly MoreServer[];
}

/** A credential for services that run jobs, of either type. */
export interface ServiceCredential extends NamedCredential {
	interface: ChosenInterface;
	baseUrl: string;
	/** The second address of an engine, for `automatic`. Empty if there is none. */
	engineUrl: string;
	needsEngine: boolean;
	/** The address of the account's v1 interface. Empty if there is none. */
	hostedUrl: string;
	keepLinksOnBaseOrigin: boolean;
	rejectUnauthorized: boolean;
	partnerKeyField: string;
	/** The name or id of the ComfyUI user, for engines. */
	comfyUser?: string;
}

/** Returns a hash of the whole credential. Caches use it as a key, because the answers of one server may depend on the user. */
export const serverKey = (credential: ServiceCredential): string => createHash('sha256').update(JSON.stringify(credential)).digest('hex');

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The public service's name for the field. n8n omits hidden fields, so a credential may have no name. */
const DEFAULT_PARTNER_KEY_FIELD = 'api_key_comfy_org';

/** The default scheme is http for a self-hosted server, and https where a key is sent. */
const ownAddress = (value: unknown): string => withScheme(text(value), 'http');
const keyedAddress = (value: unknown): string => withScheme(text(value), 'https');

/** Returns the additional servers as a property, or no property, so that other credentials keep their cache key. */
function poolPart(
	data: ICredentialDataDecryptedObject,
	chosen: ChosenInterface,
	shared: Parameters<typeof readMoreServers>[1],
): Pick<NamedCredential, 'moreServers'> {
	const moreServers = readMoreServers(data, shared);
	if (moreServers === undefined) return {};
	if (chosen === 'v2') throw new ItemFault(messages.POOL_NEEDS_ENGINE());
	return { moreServers };
}

type Reader = (data: ICredentialDataDecryptedObject, chosen: ChosenInterface) => ServiceCredential;

/** Returns the label of *Sign-In* if it sets the header Authorization. */
const authorizationLabel = (headers: SignIn['headers'], label: SignIn['label']): SignIn['label'] =>
	'authorization' in headers ? label : undefined;

const readers: Record<CredentialName, Reader> = {
	comfyApi: (data, chosen) => {
		const hostedUrl = keyedAddress(data.hostedUrl ?? DEFAULT_HOSTED_URL);
		return {
			displayName: 'Comfy API',
			secretLabel: 'API Key',
			interface: chosen === 'v1' ? 'v1' : 'v2',
			...(chosen === 'v1'
				? { addressLabel: 'Hosted URL', baseUrl: hostedUrl }
				: { addressLabel: 'Base URL', baseUrl: keyedAddress(data.baseUrl) }),
			engineUrl: '',
			needsEngine: false,
			hostedUrl,
			token: text(data.apiKey),
			keepLinksOnBaseOrigin: false,
			rejectUnauthorized: data.ignoreSslIssues !== true,
			partnerKey: text(data.partnerApiKey) || text(data.apiKey),
			partnerAuthToken: text(data.partnerAuthToken),
			partnerKeyField: text(data.partnerKeyField) || DEFAULT_PARTNER_KEY_FIELD,
		};
	},
	comfySelfHostedApi: (data, chosen) => {
		const [baseUrl, engineUrl] = [ownAddress(data.baseUrl), ownAddress(data.engineUrl)];
		const { headers, comfyUser, label: signInLabel } = readSignIn(data);
		const authorization = text(data.engineAuthorizationSecret);
		const pool = poolPart(data, chosen, { authorization, headers, signInLabel });
		const isEngine = chosen === 'engine' || pool.moreServers !== undefined;
		const isEngineElsewhere = isEngine && engineUrl !== '';
		return {
			displayName: 'Comfy Self-Hosted API',
			isOwnServer: true,
			interface: chosen,
			secretLabel: authorizationLabel(headers, signInLabel) ?? (isEngine ? 'ComfyUI Authorization' : 'Token'),
			...(isEngineElsewhere ? { addressLabel: 'ComfyUI Address', baseUrl: engineUrl } : { addressLabel: 'Address', baseUrl }),
			engineUrl: chosen === 'automatic' && !isEngine ? engineUrl : '',
			needsEngine: false,
			hostedUrl: '',
			token: text(data.token),
			authorization,
			headers,
			signInLabel,
			comfyUser,
			keepLinksOnBaseOrigin: data.keepLinksOnThisAddress === true,
			rejectUnauthorized: data.ignoreSslIssues !== true,
			partnerKey: text(data.partnerApiKey),
			partnerAuthToken: text(data.partnerAuthToken),
			partnerKeyField: text(data.partnerKeyField) || DEFAULT_PARTNER_KEY_FIELD,
			...pool,
		};
	},
};

/**
 * @param chosen the value of the option *Interface*.
 * @throws ItemFault for a sign-in that cannot be sent, and for several ComfyUIs with an unusable value or with the interface v2.
 */
export const readCredential = (
	name: CredentialName,
	data: ICredentialDataDecryptedObject,
	chosen: ChosenInterface = 'automatic',
): ServiceCredential => readers[name](data, chosen);

/** Returns the credential for operations that v2 does not offer: for the account's v1 interface, or for the engine. */
export const readControlCredential = (name: CredentialName, data: ICredentialDataDecryptedObject): ServiceCredential =>
	name === 'comfyApi' ? readCredential(name, data, 'v1') : { ...readCredential(name, data, 'automatic'), needsEngine: true };

/** Returns undefined if the text is not an address, or if its scheme has no origin, such as `file:`. */
export function originOf(address = ''): string | undefined {
	const origin = URL.canParse(address) ? new URL(address).origin : 'null';
	return origin === 'null' ? undefined : origin;
}

/** Returns all addresses that the credential contains. */
export const enteredUrls = ({ baseUrl, engineUrl = '', hostedUrl = '', moreServers = [] }: NamedCredential): string[] =>
	[baseUrl, engineUrl, hostedUrl, ...moreServers.map(({ address }) => address)].filter((url) => url !== '');

/** Returns the origin and the path of an address; undefined if the address is not usable. */
export function plainAddress(url: string): string | undefined {
	try {
		const { origin, prefix } = parseBaseUrl(url);
		return origin + prefix;
	} catch {
		return undefined;
	}
}

/**
 * @param address of a request, or only its origin.
 * @returns the address of the credential to which the request went, with its path, or else the origin.
 */
export function enteredAddress(address: string, credential: NamedCredential | undefined): string {
	const origin = originOf(address);
	const plain = credential === undefined ? [] : enteredUrls(credential).flatMap((url) => plainAddress(url) ?? []);
	const entered = plain.filter((url) => origin !== undefined && originOf(url) === origin);
	const longest = entered.filter((url) => address.startsWith(url)).sort((one, other) => other.length - one.length)[0];
	return longest ?? entered[0] ?? origin ?? address;
}

const forServer = <C extends NamedCredential>(credential: C, { address, field, authorization, headers, signInLabel }: MoreServer): C => ({
	...credential,
	baseUrl: address,
	addressLabel: field,
	authorization,
	headers,
	signInLabel,
});

/** Returns the credential once for each server of a pool: with its address, its field and its sign-in. */
export const serversOf = (credential: ServiceCredential): ServiceCredential[] => [
	credential,
	...(credential.moreServers ?? []).map((server) => forServer(credential, server)),
];

/** Returns the credential for the server to which a request went, so that messages name its fields. @param address of the request. */
export function credentialAt<C extends NamedCredential | undefined>(address: string, credential: C): C {
	if (credential?.moreServers === undefined) return credential;
	const entered = enteredAddress(address, credential);
	const server = credential.moreServers.find(({ address: url }) => plainAddress(url) === entered);
	return server === undefined || plainAddress(credential.baseUrl) === entered ? credential : forServer(credential, server);
}

const originOrText = (address: string): string => originOf(address) ?? address;

/** Whether *Base URL* is the address of a deployment, which keeps only jobs and files. */
export function isDeployment(name: CredentialName, data: ICredentialDataDecryptedObject): boolean {
	if (name !== 'comfyApi') return false;
	const { baseUrl, hostedUrl } = readCredential(name, data, 'v2');
	return originOrText(baseUrl) !== originOrText(hostedUrl);
}

export type RouterCredentialName = 'comfyApi' | 'comfyRouterJwtApi';

type PathPrefix = 'automatic' | RouterPrefix;

/** A credential for the model router, of either type. */
export interface RouterCredential extends NamedCredential {
	kind: 'apiKey' | 'jwt';
	baseUrl: string;
	prefix: PathPrefix;
	rejectUnauthorized: boolean;
}

const prefixOf = (value: unknown): PathPrefix => (value === '/v1' || value === '/v2' ? value : 'automatic');

export const readRouterCredential = (name: RouterCredentialName, data: ICredentialDataDecryptedObject): RouterCredential => ({
	...(name === 'comfyApi'
		? { displayName: 'Comfy API', secretLabel: 'API Key', kind: 'apiKey', token: text(data.apiKey) }
		: { displayName: 'Comfy Router JWT API', secretLabel: 'JWT', kind: 'jwt', token: text(data.token) }),
	addressLabel: 'Router URL',
	baseUrl: keyedAddress(data.routerUrl ?? DEFAULT_ROUTER_URL),
	prefix: prefixOf(data.pathPrefix),
	rejectUnauthorized: data.ignoreSslIssues !== true,
	partnerKey: text(data.partnerApiKey),
	partnerAuthToken: text(data.partnerAuthToken),
});
