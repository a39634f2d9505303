import sharp from 'sharp';
import { itemsOf, readExample } from '../../scripts/n8nHost';
import { nodeNamed } from '../../scripts/demo/steps';
import { openSession, type Session } from './support/session';

const RUN = 'n8n-nodes-comfy.comfyRunRouterModel';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

test('router-image makes a picture from its form and saves it', async () => {
	const example = await readExample('router-image');
	const execution = await session.execute(example);
	expect(execution.data.resultData.error).toBeUndefined();
	const [item] = itemsOf(execution, nodeNamed(example, RUN));
	expect(item?.json).toMatchObject({ files: [{ path: 'images[0].url', content_type: 'image/png' }] });
	const picture = await sharp(await session.rest.binary(item?.binary?.data?.id ?? 'none')).metadata();
	expect([picture.width, picture.height]).toEqual([64, 48]);
	expect(session.sandbox.ledger.routerRuns).toHaveLength(1);
});

const LAST_PROMPT = 'A lighthouse at night';
const LIMIT = 3;

test('router-batch-with-budget runs as many prompts as its limit allows, and adds up what they cost', async () => {
	const { routerRuns } = session.sandbox.ledger;
	const before = routerRuns.length;
	const execution = await session.execute(await readExample('router-batch-with-budget'));
	expect(execution.data.resultData.error).toBeUndefined();
	const billed = routerRuns.slice(before).map(({ credits }) => Number(credits));
	expect(billed).toHaveLength(LIMIT);
	const sum = billed.reduce((total, credits) => total + credits, 0);
	expect(sum).toBeGreaterThan(0);
	expect(itemsOf(execution, 'Bill').map(({ json }) => json)).toEqual([
		{ runs: LIMIT, credits_used: expect.closeTo(sum, 6), runs_without_price: 0 },
	]);
	expect(itemsOf(execution, 'Not Made').map(({ json }) => json)).toEqual([
		{ prompt: LAST_PROMPT, why: expect.stringMatching(/Limit Runs Per Execution is reached: 3/) },
	]);
});

test('router-batch-with-budget counts runs without a known price separately', async () => {
	const example = await readExample('router-batch-with-budget');
	const node = example.nodes.find(({ type }) => type === RUN);
	node!.parameters.model = { __rl: true, mode: 'id', value: 'harbor/image-2' };
	const execution = await session.execute(example);
	expect(itemsOf(execution, 'Bill').map(({ json }) => json)).toEqual([{ runs: LIMIT, credits_used: 0, runs_without_price: LIMIT }]);
});
