/** n8n died in the middle of an execution, and lost everything of it but its start: what its retry then does. */
import { NODE_NAME, type NodeResult, type NodeRun, runNode } from '../support/engine';
import { dataOf, jsonRun, routerCredential, RUNS } from '../support/router';
import { retryOf, storedContext } from '../support/retried';
import { jsons } from '../support/submit';
import { runFaster } from '../../support/fastClock';
import { freshSandbox } from '../support/sandbox';

runFaster(5);

const sandbox = freshSandbox({ routerRetryAfterSeconds: 1 });

const SUBMITS = 'POST /v2/models/:provider/:model/requests';
const HOUR_MS = 60 * 60 * 1000;
const PROMPT = { prompt: 'x' };
/** Another input at each evaluation. */
const RANDOM = { inputJson: '={{ { prompt: String(Math.random()) } }}' };

const run = (input: unknown, more: Partial<NodeRun> = {}, model = 'lab/free') => jsonRun(routerCredential(sandbox), model, input, more);
const afterCrash = (one: NodeRun, { executionContext }: Pick<NodeResult, 'executionContext'>, more: Partial<NodeRun> = {}): NodeRun => ({
	...retryOf(one, executionContext),
	...more,
});
const startedHoursAgo = (hours: number): NodeResult['executionContext'] => ({
	version: 1,
	source: 'webhook',
	establishedAt: Date.now() - hours * HOUR_MS,
});
const billed = () => sandbox.ledger.routerRuns.length;
const keysOf = (on: string) => sandbox.requests(on).map(({ headers }) => headers['idempotency-key']);
const differentOf = (on: string) => new Set(keysOf(on)).size;

describe.each([
	['synchronous', RUNS],
	['queued', SUBMITS],
])('%s delivery', (delivery, on) => {
	const parameters = { delivery };

	it('a retry with another input reports that the run may be billed, and a later one with the first input returns its result', async () => {
		const one = run(PROMPT, { parameters });
		const first = await runNode(one);
		const changed = await runNode(afterCrash(run({}, { parameters: { ...parameters, ...RANDOM } }), first));
		expect(changed.error?.message).toBe('An earlier try of this item may have run with a different input, and may be billed');
		expect(changed.error?.description).toMatch(
			/no different key was used[\s\S]*Math\.random\(\)[\s\S]*Seeds under Options[\s\S]*start a new execution[\s\S]*Idempotency key: \S+/,
		);
		expect(changed.error?.context.itemIndex).toBe(0);
		expect(dataOf(changed)).toMatchObject({
			kind: 'UnknownOutcomeError',
			code: 'invalid_input',
			http_status: 409,
			idempotency_key: keysOf(on)[0],
			request_id: expect.any(String),
		});
		const third = await runNode(afterCrash(one, first, { contextData: storedContext(changed) }));
		expect(jsons(third)).toMatchObject([{ recovered: true, output: { input: PROMPT } }]);
		expect([billed(), differentOf(on)]).toEqual([1, 1]);
	});

	it('a retry collects results with different seeds for each item', async () => {
		const more = { items: [{}, {}], parameters: { ...parameters, options: { seeds: 'random' } } };
		const one = run(PROMPT, more, 'lab/stored-failure');
		const first = await runNode(one);
		const second = await runNode(afterCrash(one, first));
		const [seed, other] = jsons(second).map((item) => item.seed);
		expect(jsons(second)).toMatchObject([
			{ recovered: true, seed, output: { input: { ...PROMPT, seed } } },
			{ recovered: true, seed: other, output: { input: { ...PROMPT, seed: other } } },
		]);
		expect(seed).not.toBe(other);
		expect([billed(), differentOf(on)]).toEqual([2, 2]);
	});

	it('a retry after 24 hours sends nothing and says so', async () => {
		const one = run(PROMPT, { parameters });
		const first = await runNode({ ...one, executionContext: startedHoursAgo(25) });
		sandbox.advanceClock(25 * HOUR_MS);
		const second = await runNode(afterCrash(one, first));
		expect(second.error?.message).toBe('An earlier try of this execution may have run this item more than 24 hours ago');
		expect(second.error?.description).toMatch(/Nothing was sent, because[\s\S]*start a new execution/);
		expect([billed(), keysOf(on).length]).toEqual([1, 1]);
	});
});

describe('Limit Runs Per Execution', () => {
	const limited = (limitRuns: number) => ({
		items: [{ json: { n: 1 } }, { json: { n: 2 } }],
		parameters: { inputJson: '={{ { prompt: "n" + $json.n } }}', options: { limitRuns } },
	});

	it('counts the stored runs of a loop', async () => {
		const one = run({}, limited(3));
		const first = await runNode(one);
		const runData = { [NODE_NAME]: first.runData[NODE_NAME] ?? [] };
		// n8n keeps the context of a node with its runs.
		const { comfyRows } = first.contextData[`node:${NODE_NAME}`] ?? {};
		const kept = { runData, contextData: { [`node:${NODE_NAME}`]: { comfyRows } } as NodeRun['contextData'] };
		const second = await runNode(afterCrash(one, first, { ...kept, settings: { onError: 'continueRegularOutput' } }));
		expect(jsons(second)).toMatchObject([{ output: { input: { prompt: 'n1' } } }, { error: 'Limit Runs Per Execution is reached: 3' }]);
		expect(billed()).toBe(3);
	});
});
