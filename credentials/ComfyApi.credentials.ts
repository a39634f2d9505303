import type { IAuthenticateGeneric, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { DEFAULT_HOSTED_URL } from './defaultAddresses';
import { switchWithFields, ignoreSslIssues, moreSettings, partnerKeyFields, pathPrefix, routerUrl } from './sharedFields';

/** One API key gives access to the hosted service, its older interface v1, serverless deployments and the model router. */
export class ComfyApi implements ICredentialType {
	name = 'comfyApi';
	displayName = 'Comfy API';
	icon: Icon = { light: 'file:../icons/comfy.svg', dark: 'file:../icons/comfy.dark.svg' };
	documentationUrl = 'https://github.com/n8n-nodes-comfy/n8n-nodes-comfy/blob/main/docs/addresses.md#comfy-api';
	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			placeholder: 'e.g. comfyui-…',
			description: 'Made in your account settings. The same key works for the hosted service and for deployments.',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: DEFAULT_HOSTED_URL,
			required: true,
			description: 'Where jobs run. For a serverless deployment, enter its own address.',
		},
		...switchWithFields(
			moreSettings('other addresses, a key for partner nodes, or certificates that nobody has signed'),
			{
				displayName: 'Hosted URL',
				name: 'hostedUrl',
				type: 'string',
				default: DEFAULT_HOSTED_URL,
				description: 'Where the account-wide v1 interface is (queue, masks, live events); the same for all deployments',
			},
			routerUrl,
			pathPrefix,
			...partnerKeyFields('Leave empty to send the API Key above.'),
			ignoreSslIssues,
		),
	];
	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
	};
}
