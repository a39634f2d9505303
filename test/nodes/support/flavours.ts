import type { IDataObject } from 'n8n-workflow';

import type { Sandbox, ServiceSurface } from '../../../sandbox/types';
import type { Credential } from './engine';

export const surfaces: ServiceSurface[] = ['hosted', 'deployment', 'self_hosted', 'self_hosted_token'];

/** Every surface over v2, and the hosted one over v1. */
export type Way = ServiceSurface | 'v1';
export const ways: Way[] = [...surfaces, 'v1'];

export const interfaceOf = (way: Way): 'v2' | 'v1' => (way === 'v1' ? 'v1' : 'v2');

/** A credential for one surface of the sandbox, with every other field as n8n would save it. */
export function credentialFor(sandbox: Sandbox, way: Way = 'hosted', changes: IDataObject = {}): Credential {
	if (way === 'v1') return { ...credentialFor(sandbox, 'hosted', changes), interface: 'v1' };
	const surface = way;
	const { urls, keys } = sandbox;
	const partner = { partnerApiKey: keys.partnerKey, partnerKeyField: 'api_key_comfy_org', ignoreSslIssues: false };
	if (surface === 'hosted' || surface === 'deployment') {
		const data = { apiKey: keys.apiKey, baseUrl: urls[surface], hostedUrl: urls.hosted, routerUrl: urls.hosted, ...partner };
		return { type: 'comfyApi', data: { ...data, ...changes } as Credential['data'] };
	}
	const baseUrl = surface === 'self_hosted' ? urls.self_hosted : urls.self_hosted_token_url;
	const token = surface === 'self_hosted' ? '' : keys.bearer;
	const data = { baseUrl, engineUrl: urls.engine, token, keepLinksOnThisAddress: false, ...partner };
	return { type: 'comfySelfHostedApi', data: { ...data, ...changes } as Credential['data'] };
}
