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
			description: 'Create the key in your account settings. It works for the hosted service and for deployments.',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: DEFAULT_HOSTED_URL,
			required: true,
			description: 'Address of the service that runs your jobs. For a serverless deployment, enter the address of the deployment.',
		},
		...switchWithFields(
			moreSettings('other addresses or a key for partner nodes, or to ignore SSL issues'),
			{
				displayName: 'Hosted URL',
				name: 'hostedUrl',
				type: 'string',
				default: DEFAULT_HOSTED_URL,
				description:
					'Address of the v1 interface, which gives the queue, masks and live events of the account. It is the same for all deployments.',
			},
			routerUrl,
			pathPrefix,
			...partnerKeyFields('If it is empty, the API Key above is sent.'),
			ignoreSslIssues,
		),
	];
	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
	};
}
