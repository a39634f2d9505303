import type { INodeProperties } from 'n8n-workflow';

/** The key that partner nodes inside a workflow bill to, and the `extra_data` field it travels in. */
export const partnerKeyFields = (whenEmpty: string): INodeProperties[] => [
	{
		displayName: 'Partner API Key',
		name: 'partnerApiKey',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		description: `Sent with a submission only where "Send Key To Partner Nodes" is on. ${whenEmpty}`,
	},
	{
		displayName: 'Partner Key Field',
		name: 'partnerKeyField',
		type: 'string',
		default: 'api_key_comfy_org',
		description: 'Name of the extra data field that carries the Partner API Key',
	},
];

export const routerUrl: INodeProperties = {
	displayName: 'Router URL',
	name: 'routerUrl',
	type: 'string',
	default: 'https://api.comfy.org',
	description: 'Where partner models are run',
};

export const pathPrefix: INodeProperties = {
	displayName: 'Router Path Prefix',
	name: 'pathPrefix',
	type: 'options',
	options: [
		{ name: 'Automatic', value: 'automatic' },
		{ name: '/v1', value: '/v1' },
		{ name: '/v2', value: '/v2' },
	],
	default: 'automatic',
	description: 'What the paths of the model router begin with. Automatic finds it by a read.',
};

export const ignoreSslIssues: INodeProperties = {
	displayName: 'Ignore SSL Issues (Insecure)',
	name: 'ignoreSslIssues',
	type: 'boolean',
	default: false,
	description: 'Whether to connect even if the certificate cannot be verified',
};
