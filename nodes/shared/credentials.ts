import { createHash } from 'node:crypto';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { type ConnectSettings, parseBaseUrl, type RouterPrefix, withScheme } from '../../client';
import { DEFAULT_HOSTED_URL, DEFAULT_ROUTER_URL } from '../../credentials/defaultAddresses';

export type CredentialName = 'comfyApi' | 'comfySelfHostedApi';

/** What the option *Interface* offers. */
export type ChosenInterface = ConnectSettings['interface'] | 'automatic';

/** What messages say of a credential, and what they must not. */
export interface NamedCredential {
	/** Its name on screen. */
	displayName: string;
	/** The label of its secret field. */
	secretLabel: 'API Key' | 'Token' | 'JWT' | 'Engine Authorization';
	/** The address in use. */
	baseUrl: string;
	rejectUnauthorized: boolean;
	/** The label of the field that holds it. */
	addressLabel: 'Address' | 'Base URL' | 'Hosted URL' | 'Engine Address' | 'Router URL';
	/** Where else a server is looked for: the field *Engine Address*. Empty for nowhere. */
	engineUrl?: string;
	/** Where the account's v1 interface is. */
	hostedUrl?: string;
	/** What the option *Interface* says. */
	interface?: ChosenInterface;
	/** A server of the user's own, bare or behind the proxy. */
	isOwnServer?: boolean;
	/** The proxy will not do. */
	needsEngine?: boolean;
	token: string;
	partnerKey: string;
	/** The Authorization header for a reverse proxy in front of an engine. */
	authorization?: string;
}

/** A credential as the nodes use it, whatever its type. */
export interface ServiceCredential extends NamedCredential {
	/** The one to speak. */
	interface: ChosenInterface;
	baseUrl: string;
	/** Where else an engine may be, for `automatic`; empty for nowhere. */
	engineUrl: string;
	/** For `automatic`: the proxy will not do. */
	needsEngine: boolean;
	/** Where the account's v1 interface is; empty where there is none. */
	hostedUrl: string;
	keepLinksOnBaseOrigin: boolean;
	rejectUnauthorized: boolean;
	partnerKeyField: string;
}

/** Tells servers apart by address and key, without showing either; what one of them tells may differ by who asks. */
export const serverKey = (credential: ServiceCredential): string => createHash('sha256').update(JSON.stringify(credential)).digest('hex');

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The public service's name for the field. As n8n reads no hidden field, a credential may come without one. */
const DEFAULT_PARTNER_KEY_FIELD = 'api_key_comfy_org';

/** A server of one's own is reached over http unless its address says otherwise; a key never leaves in the clear unasked. */
const ownAddress = (value: unknown): string => withScheme(text(value), 'http');
const keyedAddress = (value: unknown): string => withScheme(text(value), 'https');

type Reader = (data: ICredentialDataDecryptedObject, chosen: ChosenInterface) => ServiceCredential;

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
			partnerKeyField: text(data.partnerKeyField) || DEFAULT_PARTNER_KEY_FIELD,
		};
	},
	comfySelfHostedApi: (data, chosen) => {
		const [baseUrl, engineUrl] = [ownAddress(data.baseUrl), ownAddress(data.engineUrl)];
		const isEngineElsewhere = chosen === 'engine' && engineUrl !== '';
		return {
			displayName: 'Comfy Self-Hosted API',
			isOwnServer: true,
			interface: chosen,
			secretLabel: chosen === 'engine' ? 'Engine Authorization' : 'Token',
			...(isEngineElsewhere ? { addressLabel: 'Engine Address', baseUrl: engineUrl } : { addressLabel: 'Address', baseUrl }),
			engineUrl: chosen === 'automatic' ? engineUrl : '',
			needsEngine: false,
			hostedUrl: '',
			token: text(data.token),
			authorization: text(data.engineAuthorizationSecret),
			keepLinksOnBaseOrigin: data.keepLinksOnThisAddress === true,
			rejectUnauthorized: data.ignoreSslIssues !== true,
			partnerKey: text(data.partnerApiKey),
			partnerKeyField: text(data.partnerKeyField) || DEFAULT_PARTNER_KEY_FIELD,
		};
	},
};

/** @param chosen what the option *Interface* says. */
export const readCredential = (
	name: CredentialName,
	data: ICredentialDataDecryptedObject,
	chosen: ChosenInterface = 'automatic',
): ServiceCredential => readers[name](data, chosen);

/** For what v2 does not offer: the account's v1 interface, or the engine wherever it is. */
export const readControlCredential = (name: CredentialName, data: ICredentialDataDecryptedObject): ServiceCredential =>
	name === 'comfyApi' ? readCredential(name, data, 'v1') : { ...readCredential(name, data, 'automatic'), needsEngine: true };

export const originOf = (address = ''): string | undefined => (URL.canParse(address) ? new URL(address).origin : undefined);

/**
 * @param address of a request, or its origin alone.
 * @returns the address in the credential to which the request went, with its path; else the origin.
 */
export function enteredAddress(address: string, credential: NamedCredential | undefined): string {
	const origin = originOf(address);
	const { baseUrl, engineUrl, hostedUrl } = credential ?? {};
	const entered = [baseUrl, engineUrl, hostedUrl].flatMap((url) => {
		if (url === undefined || url.includes('@') || origin === undefined || originOf(url) !== origin) return [];
		return [origin + parseBaseUrl(url).prefix];
	});
	return entered.find((one) => address.startsWith(one)) ?? entered[0] ?? origin ?? address;
}

const originOrText = (address: string): string => originOf(address) ?? address;

/** Its *Base URL* leads to something of the account's own, which keeps nothing but jobs and files. */
export function isDeployment(name: CredentialName, data: ICredentialDataDecryptedObject): boolean {
	if (name !== 'comfyApi') return false;
	const { baseUrl, hostedUrl } = readCredential(name, data, 'v2');
	return originOrText(baseUrl) !== originOrText(hostedUrl);
}

export type RouterCredentialName = 'comfyApi' | 'comfyRouterJwtApi';

type PathPrefix = 'automatic' | RouterPrefix;

/** What opens the model router, whatever its type. */
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
});
