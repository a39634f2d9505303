import type { IDataObject } from 'n8n-workflow';

import type { Sandbox } from '../../../../../sandbox';
import { runNode } from '../../../support/engine';
import { dataOf, jsonRun, routerCredential, routerRun, routerWays } from '../../../support/router';
import { forEach, itemsOf, type RealItems } from './produce';

const INPUT = { prompt: 'a red fox', text: 'hello', bytes: 70_000 };

/** The items of Comfy Run Router Model. Models have different outputs, so several models run. */
export function itemsOfRouter(sandbox: Sandbox): RealItems {
	const credential = () => routerCredential(sandbox);
	const run = async (model: string, parameters: IDataObject = {}) => await itemsOf(jsonRun(credential(), model, INPUT, { parameters }));
	const estimate = async (model: string, input: object) =>
		await itemsOf(
			routerRun(credential(), 'model:estimateCost', model, { parameters: { inputMode: 'json', inputJson: JSON.stringify(input) } }),
		);
	const ofModels = async (what: 'model:get' | 'model:getInputSchema', models: string[]) =>
		await forEach(models, async (model) => await itemsOf(routerRun(credential(), what, model)));
	/** Submits requests that run for long, more than can run at the same time. */
	const submitSlow = async (): Promise<IDataObject[]> =>
		await forEach([1, 2, 3, 4, 5, 6], async () => {
			const input = { ms: 600_000 };
			const result = await runNode(jsonRun(credential(), 'lab/slow', input, { parameters: { delivery: 'queued', maxWaitMinutes: 0 } }));
			return [{ model: 'lab/slow', ...dataOf(result) }];
		});
	const ofRequests = async (what: 'request:get' | 'request:cancel', requests: IDataObject[]) =>
		await forEach(requests, async ({ model, queue_request_id: requestId }) =>
			itemsOf(routerRun(credential(), what, String(model), { parameters: { requestId: String(requestId) } })),
		);
	/** Calls `read` for requests that have finished, that run and that wait. One that has finished also failed, but has a result. */
	const ofAllRequests = async (read: (requests: IDataObject[]) => Promise<IDataObject[]>) => {
		const models = ['lab/open', 'lab/image', 'lab/large-json', 'lab/stored-failure'];
		const finished = await forEach(models, async (model) => await run(model, { delivery: 'queued' }));
		const slow = await submitSlow();
		const items = await read([...finished, ...slow]);
		await ofRequests('request:cancel', slow);
		return items;
	};
	return {
		'comfyRunRouterModel/model/run': async () => {
			const items = await forEach(['lab/open', 'lab/image', 'lab/speech', 'lab/silent-price'], async (model) => await run(model));
			sandbox.setSpendLimit('main', 10_000);
			return [...items, ...(await run('lab/fallback'))];
		},
		'comfyRunRouterModel/model/estimateCost': async () => [
			...(await forEach(['aurora/image-1', 'pebble_works/video-3_max', 'lab/silent-price'], async (model) => await estimate(model, INPUT))),
			...(await estimate('lab/priced', { estimate: { source: 'exact', amount: 1 } })),
		],
		'comfyRunRouterModel/model/getAll': async () =>
			await forEach(routerWays, async (way) => await itemsOf(routerRun(routerCredential(sandbox, way), 'model:getAll', ''))),
		'comfyRunRouterModel/model/get': async () => await ofModels('model:get', ['lab/image', 'aurora/image-2', 'lab/no-schema']),
		'comfyRunRouterModel/model/getInputSchema': async () =>
			await ofModels('model:getInputSchema', ['lab/image', 'lab/open', 'lab/every-feature', 'lab/no-schema']),
		'comfyRunRouterModel/request/get': async () => await ofAllRequests(async (requests) => await ofRequests('request:get', requests)),
		'comfyRunRouterModel/request/cancel': async () => await ofAllRequests(async (requests) => await ofRequests('request:cancel', requests)),
	};
}
