import type { INodeProperties } from 'n8n-workflow';

const shownFor = (signIn: string, field: INodeProperties): INodeProperties => ({
	...field,
	displayOptions: { show: { signIn: [signIn] } },
});

/** How a self-hosted server, or a proxy in front of it, identifies its users. n8n does not read the fields of the other choices. */
export const signInFields: INodeProperties[] = [
	{
		displayName: 'Sign-In',
		name: 'signIn',
		type: 'options',
		options: [
			{ name: 'None', value: 'none', description: 'The server does not require a sign-in' },
			{ name: 'User And Password', value: 'basic', description: 'The browser asks for a user and a password (Basic authentication)' },
			{ name: 'Bearer Token', value: 'bearer', description: 'A proxy in front of the server requires a token' },
			{ name: 'Headers', value: 'headers', description: 'A tunnel or an access proxy requires headers, for example Cloudflare Access' },
			{ name: 'ComfyUI User', value: 'comfyUser', description: 'ComfyUI was started with --multi-user' },
		],
		default: 'none',
		description: 'How n8n signs in to the address above, and to the ComfyUI Address if you enter one',
	},
	shownFor('basic', {
		displayName: 'User',
		name: 'user',
		type: 'string',
		default: '',
		required: true,
	}),
	shownFor('basic', {
		displayName: 'Password',
		name: 'password',
		type: 'string',
		typeOptions: { password: true },
		default: '',
	}),
	shownFor('bearer', {
		displayName: 'Bearer Token',
		name: 'bearerToken',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		required: true,
		description: 'The token without the word "Bearer"',
	}),
	shownFor('headers', {
		displayName: 'Headers',
		name: 'headers',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		default: { values: [{ name: '', value: '' }] },
		placeholder: 'Add Header',
		description: 'Headers to send with every request to the server',
		options: [
			{
				displayName: 'Header',
				name: 'values',
				values: [
					{ displayName: 'Name', name: 'name', type: 'string', default: '', placeholder: 'e.g. CF-Access-Client-Id' },
					{ displayName: 'Value', name: 'value', type: 'string', typeOptions: { password: true }, default: '' },
				],
			},
		],
	}),
	shownFor('comfyUser', {
		displayName: 'ComfyUI User',
		name: 'comfyUser',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. ann',
		description: 'Name or ID of the user, as the start page of ComfyUI shows it. It determines which saved workflows the nodes see.',
	}),
];
