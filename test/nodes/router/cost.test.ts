/** The limits of the cost of runs. */
import type { IDataObject } from 'n8n-workflow';

import { type NodeResult, type NodeRun, runNode } from '../support/engine';
import { runLogged } from '../support/log';
import { CONTINUE } from '../support/files';
import { byId, jsonRun, routerCredential, RUNS } from '../support/router';
import { jsons } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox({ routerRetryAfterSeconds: 1 });

const ESTIMATES = 'POST /v2/models/:provider/:model/estimate';
const SUBMITS = 'POST /v2/models/:provider/:model/requests';
const PROMPT = { prompt: 'a lighthouse' };
const ID = expect.stringMatching(/./) as string;
const credential = () => routerCredential(sandbox);
const inputOf = ({ bodyText }: { bodyText?: string }): IDataObject => JSON.parse(String(bodyText)) as IDataObject;
const exact = (amount: number) => ({ source: 'exact', amount });

/** Items of the model whose input contains the answer of its estimate. */
const priced = (inputs: IDataObject[], options: IDataObject, more: Partial<NodeRun> = {}): NodeRun =>
	jsonRun(
		credential(),
		'lab/priced',
		{},
		{
			...CONTINUE,
			items: inputs.map((input) => ({ json: { input, ...input } })),
			...more,
			parameters: { inputJson: '={{ $json.input }}', options, ...more.parameters },
		},
	);
const ran = ({ output, error }: IDataObject): unknown => (output === undefined ? error : (output as IDataObject).input);

describe('Max Cost (USD)', () => {
	it('sends an item only up to its own limit, and says what the run may cost', async () => {
		const inputs = [0.05, 0.03, 0.04].map((cap) => ({ estimate: exact(0.04), cents: 4, cap }));
		const result = await runNode(priced(inputs, { maxCostUsd: '={{ $json.cap }}' }));
		expect(jsons(result)).toMatchObject([
			{ estimated_cost_usd: 0.04, cost_usd: 0.04, output: {} },
			{ error: 'This run may cost up to $0.04, and Max Cost (USD) is $0.03', error_code: 'COST_ABOVE_LIMIT' },
			{ estimated_cost_usd: 0.04, cost_usd: 0.04, output: {} },
		]);
		expect(sandbox.requests(RUNS).map(inputOf)).toEqual(expect.arrayContaining([inputs[0], inputs[2]]));
		expect([sandbox.requests(RUNS).length, sandbox.requests(ESTIMATES).length]).toEqual([2, 3]);
		expect(result.outputs[0]?.[1]?.pairedItem).toEqual({ item: 1 });
		expect(result.hints).toEqual([]);
	});

	it.each([
		['synchronous', RUNS],
		['queued', SUBMITS],
	])('compares the upper amount of each model, with %s delivery', async (delivery, on) => {
		const items = ['aurora/image-1', 'pebble_works/video-3_max'].map((model) => ({ json: { model } }));
		const parameters = { model: byId('={{ $json.model }}'), delivery, options: { maxCostUsd: 0.5, modelProvider: 'lab' } };
		const result = await runNode(jsonRun(credential(), 'x/y', PROMPT, { ...CONTINUE, items, parameters }));
		expect(jsons(result)).toMatchObject([
			{ model: 'aurora/image-1', estimated_cost_usd: 0.04, cost_usd: 0.04 },
			{ error: 'This run may cost up to $0.60, and Max Cost (USD) is $0.50', model: 'pebble_works/video-3_max' },
		]);
		expect(sandbox.requests(on)).toHaveLength(1);
		expect(sandbox.requests(ESTIMATES).map(({ query }) => query.replace('?', ''))).toEqual(['model_provider=lab', 'model_provider=lab']);
	});

	it.each([-1, 'much', '', ' ', NaN, null, undefined, true, [], {}])('of %j is rejected, and only its item is not sent', async (cap) => {
		for (const [name, label] of [
			['maxCostUsd', 'Max Cost (USD)'],
			['maxExecutionCostUsd', 'Max Cost Per Execution (USD)'],
		] as const) {
			const expression = cap === undefined ? '$json.missing' : Number.isNaN(cap) ? 'NaN' : JSON.stringify(cap);
			const options = { [name]: `={{ $itemIndex === 1 ? ${expression} : 5 }}` };
			const result = await runNode(
				priced(
					[1, 2].map((n) => ({ estimate: exact(1), n })),
					options,
					{ settings: {} },
				),
			);
			expect(result.error?.message).toMatch(new RegExp(`^${label.replace(/[()]/g, '\\$&')} `));
			expect(result.error?.context.itemIndex).toBe(1);
		}
		expect(sandbox.requests(RUNS).map(inputOf)).not.toContainEqual(expect.objectContaining({ n: 2 }));
	});

	it('is a number also as text, and 0 allows free runs only', async () => {
		const inputs = [exact(0), exact(0.01)].map((estimate) => ({ estimate }));
		const result = await runNode(priced(inputs, { maxCostUsd: '0' }));
		expect(jsons(result).map(ran)).toEqual([inputs[0], 'This run may cost up to $0.01, and Max Cost (USD) is $0.00']);
	});

	it('writes what each run may cost to the log', async () => {
		const inputs = [{ estimate: exact(0.25) }, { estimate: { source: 'unknown', reason: 'secret words' } }];
		const { lines } = await runLogged(priced(inputs, { maxCostUsd: 1, concurrency: 1 }));
		expect(lines.map(({ message }) => message).filter((message) => /cost/.test(message))).toEqual([
			'Comfy: the run costs at most 0.25 US dollars, by the estimate of the router',
			'Comfy: the cost of the run is unknown',
			expect.stringMatching(/^Comfy: the item fails after .*: The cost of this run is unknown/),
		]);
	});

	it('says in a hint that a run cost more than its limit', async () => {
		const inputs = [300, 100].map((cents) => ({ estimate: exact(1), cents }));
		const result = await runNode(priced(inputs, { maxCostUsd: 1 }));
		expect(jsons(result).map(({ cost_usd }) => cost_usd)).toEqual([3, 1]);
		expect(result.hints).toEqual([
			expect.stringMatching(/^Item 0: the run cost \$3\.00, more than Max Cost \(USD\): \$1\.00\. .*Fallback/),
		]);
	});
});

describe('Max Cost Per Execution (USD)', () => {
	const same = (count: number, estimate: IDataObject, cents: number) => Array.from({ length: count }, (_, n) => ({ estimate, cents, n }));
	const sentCount = () => sandbox.requests(RUNS).length;
	const REACHED = /^This run may cost up to \$\S+, which exceeds Max Cost Per Execution \(USD\): \$\S+, of which other runs use \$\S+$/;
	const errorsOf = (result: NodeResult) => jsons(result).flatMap(({ error }) => (error === undefined ? [] : [String(error)]));

	it('is not exceeded by items that run in parallel', async () => {
		const result = await runNode(priced(same(6, exact(0.1), 10), { maxExecutionCostUsd: 0.3, concurrency: 6 }));
		expect([sentCount(), sandbox.requests(ESTIMATES).length]).toEqual([3, 6]);
		expect(errorsOf(result)).toEqual([0, 1, 2].map(() => expect.stringMatching(REACHED) as string));
		expect(errorsOf(result)[0]).toContain('$0.30, of which other runs use $0.30');
	});

	it.each([
		[3, 0.1, 0.3],
		[5, 0.41, 2.05],
	])('admits %d runs of $%d with a limit of $%d, exactly', async (count, amount, maxExecutionCostUsd) => {
		const result = await runNode(priced(same(count + 1, exact(amount), amount * 100), { maxExecutionCostUsd }));
		expect([sentCount(), errorsOf(result).length]).toEqual([count, 1]);
	});

	it('does not let items that wait for their estimates exceed Limit Runs Per Execution', async () => {
		const result = await runNode(priced(same(5, exact(0.1), 10), { maxExecutionCostUsd: 1, limitRuns: 2, concurrency: 5 }));
		expect([sentCount(), sandbox.requests(ESTIMATES).length]).toEqual([2, 5]);
		expect(errorsOf(result)).toEqual([0, 1, 2].map(() => 'Limit Runs Per Execution is reached: 2'));
	});

	it('counts a finished run with its reported cost', async () => {
		const inputs = same(4, { source: 'estimated', min_amount: 0, max_amount: 1 }, 10);
		const result = await runNode(priced(inputs, { maxExecutionCostUsd: 1.2, concurrency: 1 }));
		expect(jsons(result).map(ran)).toEqual([...inputs.slice(0, 3), expect.stringMatching(REACHED)]);
		expect(errorsOf(result)[0]).toContain('of which other runs use $0.30');
	});

	it('keeps the upper amount of a run whose cost is not reported', async () => {
		sandbox.inject({ on: ESTIMATES, times: Infinity, answer: { status: 200, json: exact(0.5) } });
		const more = { ...CONTINUE, items: [{}, {}], parameters: { options: { maxExecutionCostUsd: 0.9, concurrency: 1 } } };
		const result = await runNode(jsonRun(credential(), 'lab/silent-price', PROMPT, more));
		expect(jsons(result)).toMatchObject([{ estimated_cost_usd: 0.5, output: {} }, { error: expect.stringMatching(REACHED) as string }]);
		expect(jsons(result)[0]).not.toHaveProperty('cost_usd');
	});

	it('gives back the amount of a run that was rejected before it ran', async () => {
		sandbox.inject({ on: RUNS, answer: { status: 402, code: 'insufficient_credits' } });
		const result = await runNode(priced(same(2, exact(1), 100), { maxExecutionCostUsd: 1, concurrency: 1 }));
		expect(jsons(result)).toMatchObject([{ error_facts: { code: 'insufficient_credits' } }, { cost_usd: 1 }]);
	});

	it('keeps the amount of a run that may be billed', async () => {
		sandbox.inject({ on: RUNS, answer: { status: 400, code: 'content_policy_violation' } });
		const result = await runNode(priced(same(2, exact(1), 100), { maxExecutionCostUsd: 1, concurrency: 1 }));
		expect(jsons(result)).toMatchObject([
			{ error_facts: { code: 'content_policy_violation' } },
			{ error: expect.stringMatching(REACHED) as string },
		]);
		expect(sentCount()).toBe(1);
	});

	it('counts runs with an unknown cost when the router reports it', async () => {
		const inputs = [{ cents: 80 }, { estimate: exact(0.3), cents: 30 }];
		const options = { maxExecutionCostUsd: 1, ifCostUnknown: 'continue', concurrency: 1 };
		const result = await runNode(priced(inputs, options));
		expect(jsons(result)).toMatchObject([
			{ cost_usd: 0.8, cost_unknown_reason: ID },
			{ error: expect.stringMatching(/use \$0\.80$/) as string },
		]);
	});

	it('applies together with the limit of each item and of runs', async () => {
		const inputs = [0.5, 2, 0.4].map((amount) => ({ estimate: exact(amount) }));
		const result = await runNode(priced(inputs, { maxCostUsd: 1, maxExecutionCostUsd: 0.9, limitRuns: 1, concurrency: 1 }));
		expect(jsons(result).map(({ error_code: code }) => code)).toEqual([undefined, 'RUN_LIMIT_REACHED', 'RUN_LIMIT_REACHED']);
		expect(sandbox.requests(ESTIMATES)).toHaveLength(1);
		const others = await runNode(priced(inputs, { maxCostUsd: 1, maxExecutionCostUsd: 0.9, limitRuns: 3, concurrency: 1 }));
		expect(jsons(others).map(({ error_code: code }) => code)).toEqual([undefined, 'COST_ABOVE_LIMIT', undefined]);
	});
});

describe('If Cost Is Unknown', () => {
	const shortWait = { waitForServerMinutes: 0 };
	it.each<[string, Parameters<typeof sandbox.inject>[0] | undefined, RegExp]>([
		['an unknown source', undefined, /No price is listed for this model/],
		['an unreadable answer', { on: ESTIMATES, answer: { status: 200, json: ['exact', 1] } }, /without a source that this version supports/],
		[
			'no estimates for the account',
			{ on: ESTIMATES, answer: { status: 403, code: 'not_enabled' } },
			/does not estimate costs for this account/,
		],
		['a web page', { on: ESTIMATES, answer: { status: 200, html: true } }, /web page/],
		['no such address', { on: ESTIMATES, answer: { status: 404, body: '404 page not found' } }, /404|not found/],
		['a lost connection', { on: ESTIMATES, fault: { kind: 'drop_after' } }, /connection/],
	])('stops an item, or continues and says so: %s', async (_name, fault, reason) => {
		if (fault !== undefined) sandbox.inject({ ...fault, times: Infinity });
		const run = (ifCostUnknown?: string) =>
			jsonRun(credential(), 'lab/silent-price', PROMPT, {
				...CONTINUE,
				items: [{}, {}],
				parameters: { options: { maxCostUsd: 1, ...shortWait, ...(ifCostUnknown !== undefined && { ifCostUnknown }) } },
			});
		const stopped = await runNode(run());
		for (const item of jsons(stopped)) {
			expect(item).toMatchObject({
				error: expect.stringMatching(/^The cost of this run is unknown: /) as string,
				error_code: 'COST_UNKNOWN',
			});
			expect(item.error).toMatch(reason);
		}
		expect([jsons(stopped).length, sandbox.requests(RUNS).length]).toEqual([2, 0]);
		const continued = await runNode(run('continue'));
		expect(jsons(continued)).toMatchObject(
			[0, 1].map(() => ({ output: {}, cost_unknown_reason: expect.stringMatching(reason) as string })),
		);
		expect(continued.hints).toEqual([expect.stringMatching(/^Runs of lab\/silent-price were sent without a cost limit: /)]);
	});

	it.each(['stop', 'continue'])('does not matter for an input that the model rejects (%s)', async (ifCostUnknown) => {
		const result = await runNode(jsonRun(credential(), 'lab/image', {}, { parameters: { options: { maxCostUsd: 1, ifCostUnknown } } }));
		expect(result.error?.message).toMatch(/^The model does not accept this input: prompt/);
		expect(sandbox.requests(RUNS)).toEqual([]);
	});

	it('has no effect without a limit, and no other value', async () => {
		const run = (ifCostUnknown: string) =>
			jsonRun(credential(), 'lab/silent-price', PROMPT, { parameters: { options: { ifCostUnknown } } });
		expect(jsons(await runNode(run('stop')))).toMatchObject([{ output: {} }]);
		expect(sandbox.requests(ESTIMATES)).toEqual([]);
		expect((await runNode(run('ask'))).error?.message).toMatch(/^If Cost Is Unknown .*ask/);
	});
});
