import type { INodeProperties } from 'n8n-workflow';

import { DEFAULT_ROUTER_URL } from './defaultAddresses';

/** Returns a switch and the fields that it shows. n8n does not read hidden fields, so they have no effect while it is off. */
export const switchWithFields = (shown: INodeProperties, ...fields: INodeProperties[]): INodeProperties[] => [
	shown,
	...fields.map((field) => ({ ...field, displayOptions: { show: { [shown.name]: [true] } } })),
];

/** Returns the switch with the fields that few users need. */
export const moreSettings = (what: string): INodeProperties => ({
	displayName: 'More Settings',
	name: 'moreSettings',
	type: 'boolean',
	default: false,
	description: `Whether to set ${what}. If this is off, these settings have no effect.`,
});

/** The key for partner nodes in a workflow, and the name of the `extra_data` field that contains it. */
export const partnerKeyFields = (whenEmpty: string): INodeProperties[] => [
	{
		displayName: 'Partner API Key',
		name: 'partnerApiKey',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		description: `API key for partner nodes. It is sent only if the node option Send Key To Partner Nodes is on. ${whenEmpty}`,
	},
	{
		displayName: 'Partner Key Field',
		name: 'partnerKeyField',
		type: 'string',
		default: 'api_key_comfy_org',
		description: 'Name of the extra data field that contains the Partner API Key',
	},
];

export const routerUrl: INodeProperties = {
	displayName: 'Router URL',
	name: 'routerUrl',
	type: 'string',
	default: DEFAULT_ROUTER_URL,
	description: 'Address of the model router, which runs partner models',
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
	description: 'First part of the paths of the model router. Keep Automatic to detect it with one read request.',
};

export const ignoreSslIssues: INodeProperties = {
	displayName: 'Ignore SSL Issues (Insecure)',
	name: 'ignoreSslIssues',
	type: 'boolean',
	default: false,
	description: 'Whether to connect even if the certificate cannot be verified',
};
