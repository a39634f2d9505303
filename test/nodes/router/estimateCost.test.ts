import { type NodeRun, runNode } from '../support/engine';
import { fileItem } from '../support/files';
import { byId, dataOf, formRun, jsonRun, routerCredential, routerRun, RUNS } from '../support/router';
import { jsons } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const ESTIMATES = 'POST /v2/models/:provider/:model/estimate';
const PROMPT = { prompt: 'a lighthouse' };
const ID = expect.stringMatching(/./) as string;
const AS_OF = expect.stringMatching(/^2026/) as string;
const credential = () => routerCredential(sandbox);

const estimate = (model: string, more: Partial<NodeRun> = {}) => {
	const parameters = { inputMode: 'json', inputJson: JSON.stringify(PROMPT), ...more.parameters };
	return routerRun(credential(), 'model:estimateCost', model, { ...more, parameters });
};

it('Estimate Cost returns the amounts of each model, and runs nothing', async () => {
	const models = ['aurora/image-1', 'pebble_works/video-3_max', 'lab/silent-price'];
	const items = models.map((model) => ({ json: { model } }));
	const result = await runNode(estimate('x/y', { items, parameters: { model: byId('={{ $json.model }}') } }));
	const facts = { request_id: ID, amount_usd: null, min_amount_usd: null, max_amount_usd: null, reason: null, pricing_as_of: AS_OF };
	expect(jsons(result)).toEqual([
		{ ...facts, model: models[0], source: 'exact', amount_usd: 0.04 },
		{ ...facts, model: models[1], source: 'estimated', min_amount_usd: 0.3, max_amount_usd: 0.6 },
		{ ...facts, model: models[2], source: 'unknown', reason: 'No price is listed for this model' },
	]);
	expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
	expect([sandbox.requests(RUNS).length, sandbox.ledger.routerRuns.length]).toEqual([0, 0]);
});

it('Estimate Cost sends the input of the run with its files, seeds and provider', async () => {
	const parameters = {
		resource: 'model',
		operation: 'estimateCost',
		inputFiles: { values: [{ field: 'image', binaryField: 'data' }] },
		options: { seeds: 'random', modelProvider: 'lab' },
	};
	const run = formRun(credential(), 'lab/every-feature', PROMPT, { items: [fileItem(Buffer.from('a cat'))], parameters });
	const result = await runNode(run);
	expect(result.error).toBeUndefined();
	const [sent, ...others] = sandbox.requests(ESTIMATES);
	expect(others).toEqual([]);
	expect(sent?.query).toMatch(/^\??model_provider=lab$/);
	const image = `data:image/png;base64,${Buffer.from('a cat').toString('base64')}`;
	expect(JSON.parse(String(sent?.bodyText))).toMatchObject({ ...PROMPT, image, seed: expect.any(Number) });
	expect(jsons(result)[0]).not.toHaveProperty('seed');
});

it('Estimate Cost names the fields of an invalid input as Run does', async () => {
	const failed = await runNode(estimate('lab/image', { parameters: { inputJson: '{"prompt": "x", "num_images": 9}' } }));
	const failedRun = await runNode(jsonRun(credential(), 'lab/image', { prompt: 'x', num_images: 9 }));
	expect(failed.error?.message).toMatch(/^The model does not accept this input: num_images/);
	expect(failed.error?.message).toBe(failedRun.error?.message);
	expect(dataOf(failed)).toMatchObject({ code: 'invalid_input', http_status: 422, model: 'lab/image' });
});

it('Estimate Cost says that the account has no estimates yet', async () => {
	sandbox.inject({ on: ESTIMATES, answer: { status: 403, code: 'not_enabled', message: 'Not in your group' } });
	const result = await runNode(estimate('lab/free'));
	expect(result.error?.message).toBe('The router does not estimate costs for this account yet: Not in your group');
	expect(result.error?.description).toMatch(/Nothing was run or billed[\s\S]*Comfy API credential[\s\S]*Code: ESTIMATE_NOT_ENABLED/);
	expect(dataOf(result)).toMatchObject({ code: 'estimate_not_enabled', http_status: 403, request_id: ID });
});

it.each([
	[{}, 'the router answered without a source that this version supports'],
	[{ source: 'exact', amount: -1 }, 'the router answered without a valid amount'],
	[{ source: 'exact', amount: 1, currency: 'EUR' }, 'the router answered in another currency than US dollars'],
	[{ source: 'unknown' }, 'the router gives no reason'],
])('the cost is unknown by the answer %j, with the reason', async (answer, reason) => {
	const parameters = { inputJson: JSON.stringify({ estimate: answer }) };
	expect(jsons(await runNode(estimate('lab/priced', { parameters })))).toMatchObject([{ source: 'unknown', amount_usd: null, reason }]);
});
