import type { IAuthenticateGeneric, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { DEFAULT_BASE_URL, DEFAULT_ENGINE_URL } from './defaultAddresses';
import { ignoreSslIssues, partnerKeyFields } from './sharedFields';

/** A ComfyUI of one's own: bare, or behind its API proxy. */
export class ComfySelfHostedApi implements ICredentialType {
	name = 'comfySelfHostedApi';
	displayName = 'Comfy Self-Hosted API';
	icon: Icon = { light: 'file:../icons/comfy.svg', dark: 'file:../icons/comfy.dark.svg' };
	documentationUrl = 'https://github.com/n8n-nodes-comfy/n8n-nodes-comfy#credentials';
	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: DEFAULT_BASE_URL,
			required: true,
			description: 'Address of the API proxy; of ComfyUI itself if there is no proxy. From inside Docker, 127.0.0.1 is the container itself: use the host name.',
		},
		{
			displayName: 'Engine URL',
			name: 'engineUrl',
			type: 'string',
			default: DEFAULT_ENGINE_URL,
			description: 'Address of ComfyUI itself, if it is not at Base URL',
		},
		{
			displayName: 'Engine Authorization',
			name: 'engineAuthorizationSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			placeholder: 'e.g. Basic dXNlcjpwYXNzd29yZA==',
			description: 'The whole Authorization header for ComfyUI itself, only if a reverse proxy in front of it asks for one',
		},
		{
			displayName: 'Token',
			name: 'token',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'Only if the proxy was started with a token',
		},
		{
			displayName: 'Keep Links On This Address',
			name: 'keepLinksOnThisAddress',
			type: 'boolean',
			default: false,
			description:
				'Whether to follow the links of the server at the Base URL above. Turn on behind a reverse proxy or TLS, where the server names an address that n8n cannot reach.',
		},
		...partnerKeyFields('Leave empty if no partner nodes are used.'),
		ignoreSslIssues,
	];
	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: {
			headers: { Authorization: '={{$credentials.token ? "Bearer " + $credentials.token : ""}}' },
		},
	};
}
