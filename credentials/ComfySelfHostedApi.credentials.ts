import type { IAuthenticateGeneric, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { DEFAULT_ADDRESS } from './defaultAddresses';
import { switchWithFields, ignoreSslIssues, moreSettings, partnerKeyFields } from './sharedFields';

/** A self-hosted ComfyUI, with or without the API proxy in front of it. */
export class ComfySelfHostedApi implements ICredentialType {
	name = 'comfySelfHostedApi';
	displayName = 'Comfy Self-Hosted API';
	icon: Icon = { light: 'file:../icons/comfy.svg', dark: 'file:../icons/comfy.dark.svg' };
	documentationUrl = 'https://github.com/n8n-nodes-comfy/n8n-nodes-comfy/blob/main/docs/addresses.md';
	properties: INodeProperties[] = [
		{
			displayName: 'Address',
			name: 'baseUrl',
			type: 'string',
			default: DEFAULT_ADDRESS,
			required: true,
			placeholder: 'e.g. http://comfyui:8188',
			description: 'Where you see ComfyUI in the browser, or the address of its API proxy',
			hint: `If n8n runs in Docker, 127.0.0.1 is the container itself. <a href="${this.documentationUrl}" target="_blank">Which address do I enter?</a>`,
		},
		...switchWithFields(
			{
				displayName: 'Engine At Another Address',
				name: 'engineIsElsewhere',
				type: 'boolean',
				default: false,
				description:
					'Whether the address above is the API proxy’s, and ComfyUI itself has another one. Queue, node definitions and the trigger’s Engine need it.',
			},
			{
				displayName: 'Engine Address',
				name: 'engineUrl',
				type: 'string',
				default: '',
				placeholder: 'e.g. http://comfyui:8188',
				description: 'Address of ComfyUI itself. Empty means the same as above.',
			},
		),
		...switchWithFields(
			moreSettings('a login, a token, a key for partner nodes, where links lead, or certificates that nobody has signed'),
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
				description: 'Only if the API proxy was started with a token',
			},
			{
				displayName: 'Keep Links On This Address',
				name: 'keepLinksOnThisAddress',
				type: 'boolean',
				default: false,
				description:
					'Whether to follow the links of the server at the address above. Turn on behind a reverse proxy or TLS, where the server names an address that n8n cannot reach.',
			},
			...partnerKeyFields('Leave empty if no partner nodes are used.'),
			ignoreSslIssues,
		),
	];
	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: {
			headers: { Authorization: '={{$credentials.token ? "Bearer " + $credentials.token : ""}}' },
		},
	};
}
