import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { ServiceCredential } from './operations';

export type CredentialName = 'comfyApi' | 'comfySelfHostedApi';

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The public service's name for the field; credentials saved without one fall back to it. */
const DEFAULT_PARTNER_KEY_FIELD = 'api_key_comfy_org';

const readers: Record<CredentialName, (data: ICredentialDataDecryptedObject) => ServiceCredential> = {
	comfyApi: (data) => ({
		displayName: 'Comfy API',
		secretLabel: 'API Key',
		baseUrl: text(data.baseUrl),
		token: text(data.apiKey),
		keepLinksOnBaseOrigin: false,
		rejectUnauthorized: data.ignoreSslIssues !== true,
		partnerKey: text(data.partnerApiKey) || text(data.apiKey),
		partnerKeyField: text(data.partnerKeyField) || DEFAULT_PARTNER_KEY_FIELD,
	}),
	comfySelfHostedApi: (data) => ({
		displayName: 'Comfy Self-Hosted API',
		secretLabel: 'Token',
		baseUrl: text(data.baseUrl),
		token: text(data.token),
		keepLinksOnBaseOrigin: data.keepLinksOnThisAddress === true,
		rejectUnauthorized: data.ignoreSslIssues !== true,
		partnerKey: text(data.partnerApiKey),
		partnerKeyField: text(data.partnerKeyField) || DEFAULT_PARTNER_KEY_FIELD,
	}),
};

export const readCredential = (name: CredentialName, data: ICredentialDataDecryptedObject): ServiceCredential =>
	readers[name](data);
