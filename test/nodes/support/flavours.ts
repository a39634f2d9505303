import type { IDataObject } from 'n8n-workflow';

import type { Sandbox, ServiceSurface } from '../../../sandbox';
import type { Credential } from './engine';

export const surfaces: ServiceSurface[] = ['hosted', 'deployment', 'self_hosted', 'self_hosted_token'];

/**
 * Every surface over v2, the hosted one over v1, and an engine: at ComfyUI Address, or found at Address. Of the self-hosted
 * proxies the first is found as well, the second is chosen.
 */
export type Way = ServiceSurface | 'v1' | 'engine' | 'bare_engine';
export const ways: Way[] = [...surfaces, 'v1', 'engine', 'bare_engine'];

export const isOfEngine = (way: Way): boolean => way === 'engine' || way === 'bare_engine';
export const interfaceOf = (way: Way): 'v2' | 'v1' | 'engine' => (isOfEngine(way) ? 'engine' : way === 'v1' ? 'v1' : 'v2');

/** A credential for one surface of the sandbox, with every other field as n8n would save it. */
export function credentialFor(sandbox: Sandbox, way: Way = 'hosted', changes: IDataObject = {}): Credential {
	const { urls, keys } = sandbox;
	if (way === 'v1') return { ...credentialFor(sandbox, 'hosted', changes), interface: 'v1' };
	if (way === 'engine') return { ...credentialFor(sandbox, 'self_hosted', changes), interface: 'engine' };
	if (way === 'bare_engine') return credentialFor(sandbox, 'self_hosted', { baseUrl: urls.engine, engineUrl: '', ...changes });
	const surface = way;
	const partner = { moreSettings: true, partnerApiKey: keys.partnerKey, partnerKeyField: 'api_key_comfy_org', ignoreSslIssues: false };
	if (surface === 'hosted' || surface === 'deployment') {
		const data = { apiKey: keys.apiKey, baseUrl: urls[surface], hostedUrl: urls.hosted, routerUrl: urls.hosted, ...partner };
		return { type: 'comfyApi', data: { ...data, ...changes } as Credential['data'] };
	}
	const baseUrl = surface === 'self_hosted' ? urls.self_hosted : urls.self_hosted_token_url;
	const token = surface === 'self_hosted' ? '' : keys.bearer;
	const data = {
		baseUrl,
		engineIsElsewhere: true,
		engineUrl: urls.engine,
		engineAuthorizationSecret: '',
		token,
		keepLinksOnThisAddress: false,
		...partner,
	};
	return {
		type: 'comfySelfHostedApi',
		data: { ...data, ...changes } as Credential['data'],
		...(surface === 'self_hosted_token' && { interface: 'v2' }),
	};
}
