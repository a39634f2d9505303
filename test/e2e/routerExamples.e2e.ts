import { type Execution, itemsOf, readExample, type WorkflowDocument } from '../../scripts/n8nHost/documents';
import { findNodeName } from '../../scripts/demo/steps';
import { colorsOf, nodeOf, succeeded } from './support/exampleRuns';
import { openSession, type Session } from './support/session';

let session: Session;
beforeEach(async () => {
	session = await openSession();
});
afterEach(() => session.close());

const run = async (document: WorkflowDocument): Promise<Execution> =>
	succeeded(await session.execute(document, findNodeName(document, 'n8n-nodes-base.manualTrigger')));

test('router-image generates an image from its form and saves it', async () => {
	const example = await readExample('router-image');
	const [item] = itemsOf(await run(example), findNodeName(example, 'n8n-nodes-comfy.comfyRunRouterModel'));
	expect(item?.json).toMatchObject({ files: [{ path: 'images[0].url', content_type: 'image/png' }] });
	expect(await colorsOf(await session.rest.binary(item?.binary?.data?.id ?? 'none'))).toMatchObject({ width: 64, height: 48 });
	expect(session.sandbox.ledger.routerRuns).toHaveLength(1);
});

test.each([
	['adds up what they cost', undefined],
	['counts those without a known price', 'harbor/image-2'],
])('router-batch-with-budget runs as many prompts as its limit allows, and %s', async (_name, model) => {
	const limit = 3;
	const example = await readExample('router-batch-with-budget');
	const node = nodeOf(example, 'n8n-nodes-comfy.comfyRunRouterModel');
	if (model !== undefined) node.parameters.model = { __rl: true, mode: 'id', value: model };
	const execution = await run(example);
	const billed = session.sandbox.ledger.routerRuns.map(({ credits }) => Number(credits));
	expect(billed).toHaveLength(limit);
	const sum = model === undefined ? billed.reduce((total, credits) => total + credits, 0) : 0;
	expect(sum > 0).toBe(model === undefined);
	const runs_without_price = model === undefined ? 0 : limit;
	expect(itemsOf(execution, 'Total Cost').map(({ json }) => json)).toEqual([
		{ runs: limit, credits_used: expect.closeTo(sum, 6), runs_without_price },
	]);
	const reason = expect.stringMatching(/Limit Runs Per Execution is reached: 3/);
	expect(itemsOf(execution, 'Not Generated').map(({ json }) => json)).toEqual([{ prompt: 'A lighthouse at night', reason }]);
});
