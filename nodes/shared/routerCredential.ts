import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { DEFAULT_ROUTER_URL } from '../../credentials/defaultAddresses';
import { keyedAddress, text } from './credential';
import type { NamedCredential } from './operations';

export type RouterCredentialName = 'comfyApi' | 'comfyRouterJwtApi';

export type PathPrefix = 'automatic' | '/v1' | '/v2';

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
