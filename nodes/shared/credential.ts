import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { DEFAULT_BASE_URL, DEFAULT_ENGINE_URL } from '../../credentials/defaultAddresses';
import type { ChosenInterface, ServiceCredential } from './operations';

export type CredentialName = 'comfyApi' | 'comfySelfHostedApi';

export const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The public service's name for the field; credentials saved without one fall back to it. */
const DEFAULT_PARTNER_KEY_FIELD = 'api_key_comfy_org';

const PROXY_LABELS = { secretLabel: 'Token', addressLabel: 'Base URL' } as const;
const ENGINE_LABELS = { secretLabel: 'Engine Authorization', addressLabel: 'Engine URL' } as const;

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname.replace(/^localhost$/, '127.0.0.1') : undefined);

/** An Engine URL that nobody has touched says little beside another Base URL, and nothing of the engine of another computer. */
function otherEngineUrl(baseUrl: string, engineUrl: string): Pick<ServiceCredential, 'engineUrl' | 'engineUrlIsAssumed'> {
	const isAssumed = engineUrl === DEFAULT_ENGINE_URL && baseUrl !== DEFAULT_BASE_URL;
	const isElsewhere = isAssumed && hostOf(baseUrl) !== hostOf(engineUrl);
	return { engineUrl: engineUrl === baseUrl || isElsewhere ? '' : engineUrl, engineUrlIsAssumed: isAssumed };
}

const NO_OTHER = { engineUrl: '', engineUrlIsAssumed: false };

type Reader = (data: ICredentialDataDecryptedObject, chosen: ChosenInterface) => ServiceCredential;

const readers: Record<CredentialName, Reader> = {
	comfyApi: (data, chosen) => ({
		displayName: 'Comfy API',
		secretLabel: 'API Key',
		interface: chosen === 'v1' ? 'v1' : 'v2',
		baseUrl: text(chosen === 'v1' ? data.hostedUrl : data.baseUrl),
		...NO_OTHER,
		needsEngine: false,
		addressLabel: chosen === 'v1' ? 'Hosted URL' : 'Base URL',
		hostedUrl: text(data.hostedUrl),
		token: text(data.apiKey),
		keepLinksOnBaseOrigin: false,
		rejectUnauthorized: data.ignoreSslIssues !== true,
		partnerKey: text(data.partnerApiKey) || text(data.apiKey),
		partnerKeyField: text(data.partnerKeyField) || DEFAULT_PARTNER_KEY_FIELD,
	}),
	comfySelfHostedApi: (data, chosen) => ({
		displayName: 'Comfy Self-Hosted API',
		isOwnServer: true,
		interface: chosen,
		...(chosen === 'engine' ? ENGINE_LABELS : PROXY_LABELS),
		baseUrl: text(chosen === 'engine' ? data.engineUrl : data.baseUrl),
		...(chosen === 'automatic' ? otherEngineUrl(text(data.baseUrl), text(data.engineUrl)) : NO_OTHER),
		needsEngine: false,
		hostedUrl: '',
		token: text(data.token),
		authorization: text(data.engineAuthorizationSecret),
		keepLinksOnBaseOrigin: data.keepLinksOnThisAddress === true,
		rejectUnauthorized: data.ignoreSslIssues !== true,
		partnerKey: text(data.partnerApiKey),
		partnerKeyField: text(data.partnerKeyField) || DEFAULT_PARTNER_KEY_FIELD,
	}),
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
