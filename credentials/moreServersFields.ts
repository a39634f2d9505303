import type { INodeProperties } from 'n8n-workflow';

/** The servers of a pool in addition to the first one. */
export const moreServersFields: INodeProperties[] = [
	{
		displayName: 'More Servers',
		name: 'moreServers',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. http://gpu2:8188',
		description: 'Addresses of more ComfyUIs, one in each line. They use the same Sign-In as the first server.',
	},
	{
		displayName: 'Servers With Own Sign-In',
		name: 'serversWithSignIn',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		default: {},
		placeholder: 'Add Server',
		description:
			'More ComfyUIs that do not use the Sign-In above. After you remove or move a saved row, enter the passwords and tokens of all rows again. n8n assigns saved ones by the position of the row.',
		options: [
			{
				displayName: 'Server',
				name: 'values',
				values: [
					{
						displayName: 'Address',
						name: 'address',
						type: 'string',
						default: '',
						placeholder: 'e.g. https://gpu3.example.com',
						description: 'Address of this ComfyUI',
					},
					{
						displayName: 'User',
						name: 'user',
						type: 'string',
						default: '',
						description: 'For a server that asks for a user and a password (Basic authentication)',
					},
					{ displayName: 'Password', name: 'password', type: 'string', typeOptions: { password: true }, default: '' },
					{
						displayName: 'Bearer Token',
						name: 'bearerToken',
						type: 'string',
						typeOptions: { password: true },
						default: '',
						description: 'For a server that requires a token instead of a user. Enter the token without the word "Bearer".',
					},
				],
			},
		],
	},
];
