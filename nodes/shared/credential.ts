import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { ChosenInterface, ServiceCredential } from './operations';

export type CredentialName = 'comfyApi' | 'comfySelfHostedApi';

export const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The public service's name for the field; credentials saved without one fall back to it. */
const DEFAULT_PARTNER_KEY_FIELD = 'api_key_comfy_org';

type Reader = (data: ICredentialDataDecryptedObject, chosen: ChosenInterface) => ServiceCredential;

const readers: Record<CredentialName, Reader> = {
	comfyApi: (data, chosen) => ({
		displayName: 'Comfy API',
		secretLabel: 'API Key',
		interface: chosen,
		baseUrl: text(data.baseUrl),
		addressLabel: chosen === 'v1' ? 'Hosted URL' : 'Base URL',
		hostedUrl: text(data.hostedUrl),
		token: text(data.apiKey),
		keepLinksOnBaseOrigin: false,
		rejectUnauthorized: data.ignoreSslIssues !== true,
		partnerKey: text(data.partnerApiKey) || text(data.apiKey),
		partnerKeyField: text(data.partnerKeyField) || DEFAULT_PARTNER_KEY_FIELD,
	}),
	comfySelfHostedApi: (data) => ({
		displayName: 'Comfy Self-Hosted API',
		secretLabel: 'Token',
		interface: 'v2',
		baseUrl: text(data.baseUrl),
		addressLabel: 'Base URL',
		hostedUrl: '',
		token: text(data.token),
		keepLinksOnBaseOrigin: data.keepLinksOnThisAddress === true,
		rejectUnauthorized: data.ignoreSslIssues !== true,
		partnerKey: text(data.partnerApiKey),
		partnerKeyField: text(data.partnerKeyField) || DEFAULT_PARTNER_KEY_FIELD,
	}),
};

/** @param chosen a self-hosted server speaks v2, whatever is chosen. */
export const readCredential = (name: CredentialName, data: ICredentialDataDecryptedObject, chosen: ChosenInterface = 'v2'): ServiceCredential =>
	readers[name](data, chosen);

/** A bare engine knows no accounts: it gets neither token nor key. */
export const readEngineCredential = (data: ICredentialDataDecryptedObject): ServiceCredential => ({
	...readCredential('comfySelfHostedApi', data),
	baseUrl: text(data.engineUrl),
	addressLabel: 'Engine URL',
	token: '',
	partnerKey: '',
});
