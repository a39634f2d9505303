import type { IAuthenticateGeneric, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { switchWithFields, ignoreSslIssues, moreSettings, pathPrefix, routerUrl } from './sharedFields';

/** A signed-in user's token for the model router. */
export class ComfyRouterJwtApi implements ICredentialType {
	name = 'comfyRouterJwtApi';
	displayName = 'Comfy Router JWT API';
	icon: Icon = { light: 'file:../icons/comfy.svg', dark: 'file:../icons/comfy.dark.svg' };
	documentationUrl = 'https://github.com/n8n-nodes-comfy/n8n-nodes-comfy/blob/main/docs/addresses.md#comfy-router-jwt-api';
	properties: INodeProperties[] = [
		{
			displayName: 'JWT',
			name: 'token',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			placeholder: 'e.g. eyJhbGciOi…',
			description:
				'The token without the word "Bearer". A JWT expires. If you need access without expiry, use an API key in a Comfy API credential.',
		},
		...switchWithFields(
			moreSettings('another address, or to ignore SSL issues'),
			{ ...routerUrl, required: true },
			{ ...pathPrefix, displayName: 'Path Prefix' },
			ignoreSslIssues,
		),
	];
	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.token}}' } },
	};
}
