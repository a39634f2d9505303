import type { IAuthenticateGeneric, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { DEFAULT_ADDRESS } from './defaultAddresses';
import { moreServersFields } from './moreServersFields';
import { switchWithFields, ignoreSslIssues, moreSettings, partnerKeyFields } from './sharedFields';
import { signInFields } from './signInFields';

/** The header that n8n's own nodes send with this credential, for example HTTP Request. They do not send *Headers* and *ComfyUI User*. */
const AUTHORIZATION = `={{
	$credentials.signIn === "basic" ? "Basic " + ($credentials.user + ":" + $credentials.password).base64Encode()
	: $credentials.signIn === "bearer" ? "Bearer " + $credentials.bearerToken
	: $credentials.token ? "Bearer " + $credentials.token : ""
}}`;

/** One or several self-hosted ComfyUIs. A single one may have the API proxy in front of it. */
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
			description:
				'Address that opens ComfyUI in a browser, or the address of its API proxy. The default port is 8188 for ComfyUI, and 8000 for ComfyUI Desktop.',
			hint: `If n8n runs in Docker, 127.0.0.1 is the n8n container, not your computer. <a href="${this.documentationUrl}" target="_blank">Which address do I enter?</a>`,
		},
		...signInFields,
		...switchWithFields(
			{
				displayName: 'ComfyUI At Another Address',
				name: 'engineIsElsewhere',
				type: 'boolean',
				default: false,
				description:
					'Whether the address above belongs to the API proxy and ComfyUI has another address. The queue, node definitions and the Engine source of the trigger use the address of ComfyUI.',
			},
			{
				displayName: 'ComfyUI Address',
				name: 'engineUrl',
				type: 'string',
				default: '',
				placeholder: 'e.g. http://comfyui:8188',
				description: 'Address of ComfyUI. If it is empty, the address above is used.',
			},
		),
		...switchWithFields(
			{
				displayName: 'Several ComfyUIs',
				name: 'hasMoreServers',
				type: 'boolean',
				default: false,
				description:
					'Whether to divide the jobs among several ComfyUIs. The first one is the address above, or ComfyUI Address if you entered one. Each address must be that of ComfyUI itself, not of the API proxy.',
			},
			...moreServersFields,
		),
		...switchWithFields(
			moreSettings('the token of the API proxy or a key for partner nodes, to change how links are followed, or to ignore SSL issues'),
			{
				displayName: 'ComfyUI Authorization',
				name: 'engineAuthorizationSecret',
				type: 'string',
				typeOptions: { password: true },
				default: '',
				placeholder: 'e.g. Basic dXNlcjpwYXNzd29yZA==',
				description:
					'Complete Authorization header for ComfyUI. Enter it only if Sign-In above does not offer the method of your reverse proxy, or if only ComfyUI and not the API proxy requires a sign-in.',
			},
			{
				displayName: 'Token',
				name: 'token',
				type: 'string',
				typeOptions: { password: true },
				default: '',
				description: 'Token of the API proxy. Enter it only if the API proxy was started with a token.',
			},
			{
				displayName: 'Use This Address For Links',
				name: 'keepLinksOnThisAddress',
				type: 'boolean',
				default: false,
				description:
					'Whether to replace the host in links from the server with the address above. Turn this on if the server is behind a reverse proxy and its links lead to an address that n8n cannot reach.',
			},
			...partnerKeyFields('Leave it empty if your workflows use no partner nodes.'),
			ignoreSslIssues,
		),
	];
	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: {
			headers: { Authorization: AUTHORIZATION },
		},
	};
}
