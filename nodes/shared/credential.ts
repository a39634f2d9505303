import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { withScheme } from '../../client';
import { DEFAULT_HOSTED_URL } from '../../credentials/defaultAddresses';
import type { ChosenInterface, ServiceCredential } from './operations';

export type CredentialName = 'comfyApi' | 'comfySelfHostedApi';

export const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The public service's name for the field. As n8n reads no hidden field, a credential may come without one. */
const DEFAULT_PARTNER_KEY_FIELD = 'api_key_comfy_org';

/** A server of one's own is reached over http unless its address says otherwise; a key never leaves in the clear unasked. */
const ownAddress = (value: unknown): string => withScheme(text(value), 'http');
export const keyedAddress = (value: unknown): string => withScheme(text(value), 'https');

type Reader = (data: ICredentialDataDecryptedObject, chosen: ChosenInterface) => ServiceCredential;

const readers: Record<CredentialName, Reader> = {
	comfyApi: (data, chosen) => {
		const hostedUrl = keyedAddress(data.hostedUrl ?? DEFAULT_HOSTED_URL);
		return {
			displayName: 'Comfy API',
			secretLabel: 'API Key',
			interface: chosen === 'v1' ? 'v1' : 'v2',
			...(chosen === 'v1' ? { addressLabel: 'Hosted URL', baseUrl: hostedUrl } : { addressLabel: 'Base URL', baseUrl: keyedAddress(data.baseUrl) }),
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
