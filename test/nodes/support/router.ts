import type { IDataObject } from 'n8n-workflow';

import type { Sandbox } from '../../../sandbox/types';
import type { NodeResult, NodeRun, RouterCredential } from './engine';

export type RouterWay = RouterCredential['type'];
export const routerWays: RouterWay[] = ['comfyApi', 'comfyRouterJwtApi'];

/** A credential for the router of the sandbox, with every other field as n8n would save it. */
export function routerCredential({ urls, keys }: Sandbox, way: RouterWay = 'comfyApi', changes: IDataObject = {}): RouterCredential {
	const common = { moreSettings: true, routerUrl: urls.router, pathPrefix: 'automatic', ignoreSslIssues: false };
	const own: IDataObject =
		way === 'comfyApi'
			? { apiKey: keys.apiKey, baseUrl: urls.hosted, hostedUrl: urls.hosted, partnerApiKey: keys.partnerKey }
			: { token: keys.jwt };
	return { type: way, data: { ...common, ...own, ...changes } as RouterCredential['data'] };
}

export const byId = (id: string): IDataObject => ({ __rl: true, mode: 'id', value: id });

type RouterOperation =
	'model:run' | 'model:estimateCost' | 'model:get' | 'model:getAll' | 'model:getInputSchema' | 'request:get' | 'request:cancel';

export function routerRun(credential: RouterCredential, what: RouterOperation, model: string, more: Partial<NodeRun> = {}): NodeRun {
	const [resource, operation] = what.split(':');
	return { node: 'comfyRunRouterModel', credential, ...more, parameters: { resource, operation, model: byId(model), ...more.parameters } };
}

/** Runs a model with its input as JSON, by default at most a few seconds long. */
export const jsonRun = (credential: RouterCredential, model: string, input: unknown, more: Partial<NodeRun> = {}): NodeRun =>
	routerRun(credential, 'model:run', model, {
		...more,
		parameters: {
			inputMode: 'json',
			inputJson: typeof input === 'string' ? input : JSON.stringify(input),
			maxWaitMinutes: 0.5,
			...more.parameters,
		},
	});

/** The same with the form filled in, as the editor saves it. */
export const formRun = (credential: RouterCredential, model: string, value: IDataObject, more: Partial<NodeRun> = {}): NodeRun =>
	routerRun(credential, 'model:run', model, {
		...more,
		parameters: {
			inputMode: 'form',
			form: { mappingMode: 'defineBelow', matchingColumns: [], schema: [], value },
			maxWaitMinutes: 0.5,
			...more.parameters,
		},
	});

export const RUNS = 'POST /v2/models/:provider/:model';

/** What a failure tells a program. */
export const dataOf = ({ error }: NodeResult): IDataObject => (error?.context.data ?? {}) as IDataObject;
