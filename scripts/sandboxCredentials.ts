import type { Sandbox } from '../sandbox';
import type { CredentialDocument } from './n8nHost/documents';

/** One credential of each type, with the sandbox's own addresses and keys. */
export function sandboxCredentials({ urls, keys }: Pick<Sandbox, 'urls' | 'keys'>): CredentialDocument[] {
	const partner = { moreSettings: true, partnerApiKey: keys.partnerKey, partnerKeyField: 'api_key_comfy_org', ignoreSslIssues: false };
	return [
		{
			name: 'Comfy API (sandbox)',
			type: 'comfyApi',
			data: {
				apiKey: keys.apiKey,
				baseUrl: urls.hosted,
				hostedUrl: urls.hosted,
				routerUrl: urls.router,
				pathPrefix: 'automatic',
				...partner,
			},
		},
		{
			name: 'Comfy Self-Hosted API (sandbox)',
			type: 'comfySelfHostedApi',
			data: {
				baseUrl: urls.self_hosted_token_url,
				engineIsElsewhere: true,
				engineUrl: urls.engine,
				engineAuthorizationSecret: '',
				token: keys.bearer,
				keepLinksOnThisAddress: false,
				...partner,
			},
		},
		{
			name: 'Comfy Router JWT API (sandbox)',
			type: 'comfyRouterJwtApi',
			data: { token: keys.jwt, moreSettings: true, routerUrl: urls.router, pathPrefix: 'automatic', ignoreSslIssues: false },
		},
	];
}
