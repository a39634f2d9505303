/** The option *Run Failed Jobs Again* of Comfy Run Workflow. */
import type { IDataObject } from 'n8n-workflow';

import { connect } from '../../../client';
import { claimedJobs } from '../../../client/recovery/claimedJobs';
import { countTurns } from '../../support/turnClock';
import { until } from '../../support/until';
import { diesIn, runStored } from '../support/crashed';
import { type NodeRun, runNode, startNode } from '../support/engine';
import { credentialFor, type Way } from '../support/flavours';
import { CONTINUE } from '../support/files';
import { sharedPool } from '../support/pool';
import { RETRY, storedContext } from '../support/retried';
import { runRun } from '../support/run';
import { again, partnerGraph, seededGate, seedsIn, statusesIn, twoItems, webhook } from '../support/runAgain';
import { freshSandbox } from '../support/sandbox';
import { recovered, retryOf } from '../support/stored';
import { jsons } from '../support/submit';

countTurns(5);
const sandbox = freshSandbox();

const jobIds = () => sandbox.ledger.runs.map(({ jobId }) => jobId);
const own = ['self_hosted', 'bare_engine'] as const satisfies Way[];
const billed = ['deployment', 'v1'] as const satisfies Way[];

/** Two items, one at a time, of which the first fails. */
function twoRun(way: Way, options: IDataObject, more: Partial<NodeRun> = {}): NodeRun {
	const { items, workflow } = twoItems();
	sandbox.configure({ memoryFailures: 1 });
	return runRun(credentialFor(sandbox, way), workflow, {
		items,
		...webhook(),
		...more,
		parameters: { options: { concurrency: 1, seeds: 'random', ...options } },
	});
}

/** One item whose job fails once. */
function oneRun(way: Way, options: IDataObject, more: Partial<NodeRun> = {}, graph = seededGate()): NodeRun {
	sandbox.configure({ memoryFailures: 1 });
	return runRun(credentialFor(sandbox, way), graph, { ...webhook(), ...more, parameters: { options } });
}

/** *Retry execution* of an execution that has ended. */
const retryExecution = async (run: NodeRun) => {
	const { result, stored } = await runStored(run);
	return { first: result, retry: retryOf(stored) };
};

describe.each([...own.map((way) => [way, 'ifFree'] as const), ...billed.map((way) => [way, 'always'] as const)])(
	'over %s, %s',
	(way, choice) => {
		it('Retry On Fail runs only the job again that failed, with the same seeds', async () => {
			const result = await runNode(twoRun(way, again(choice), { settings: RETRY }));
			expect(result.error).toBeUndefined();
			const [failed, other, second] = jobIds();
			expect(statusesIn(sandbox)).toEqual(['failed', 'succeeded', 'succeeded']);
			expect(jsons(result).map(({ job_id }) => job_id)).toEqual([second, other]);
			expect(second).not.toBe(failed);
			const [seedsOfFailed, , seedsOfSecond] = seedsIn(sandbox);
			expect(seedsOfFailed).toMatch(/^\d+$/);
			expect(seedsOfSecond).toBe(seedsOfFailed);
		});

		it('a retry of the execution runs the failed job again, and a further retry returns the second job', async () => {
			const { first, retry } = await retryExecution(twoRun(way, again(choice)));
			expect(first.error?.message).toMatch(/CUDA out of memory/);
			expect(first.error?.description).toMatch(
				/not have enough memory[^]*A retry of this execution runs the job again, with the same seeds\./,
			);
			const second = await runNode(retry);
			expect(second.error).toBeUndefined();
			const third = await runNode({ ...retry, goesOnFrom: undefined, contextData: storedContext(second) });
			expect(jsons(third).map(({ job_id }) => job_id)).toEqual(jsons(second).map(({ job_id }) => job_id));
			expect(jobIds()).toHaveLength(3);
		});

		it.each(['kept', 'lost'])(
			'a retry after a crash of n8n in the second try finds the second job, the record of the execution %s',
			async (record) => {
				const { retry } = await retryExecution(oneRun(way, again(choice)));
				const dead = recovered(await diesIn(retry));
				const third = retryOf(dead);
				if (record === 'lost') delete third.goesOnFrom?.executionData?.contextData['node:Under Test'];
				claimedJobs.clear();
				const result = await runNode(third);
				expect(result.error).toBeUndefined();
				expect(statusesIn(sandbox)).toEqual(['failed', 'succeeded']);
				expect(jsons(result)[0]).toMatchObject({ job_id: jobIds()[1], recovered: true });
			},
		);

		it('if the second job failed as well, a retry after the crash runs a third job and no fourth', async () => {
			const { retry } = await retryExecution(oneRun(way, again(choice)));
			sandbox.configure({ memoryFailures: 1 });
			const third = retryOf(recovered(await diesIn(retry)));
			delete third.goesOnFrom?.executionData?.contextData['node:Under Test'];
			claimedJobs.clear();
			const result = await runNode(third);
			expect(result.error).toBeUndefined();
			expect(statusesIn(sandbox)).toEqual(['failed', 'failed', 'succeeded']);
		});
	},
);

it('each item has its own choice; by default a retry reads the failed job again, and the message names the option', async () => {
	const run = twoRun('bare_engine', again('={{ ["always", "no"][$itemIndex] }}' as never), {
		settings: { ...RETRY, ...CONTINUE.settings },
	});
	sandbox.configure({ memoryFailures: 2 });
	const [first] = run.items ?? [];
	const result = await runNode({ ...run, items: [first ?? {}, first ?? {}] });
	expect(statusesIn(sandbox)).toEqual(['failed', 'failed', 'succeeded']);
	expect(jsons(result)).toMatchObject([
		{ job_id: jobIds()[2], status: 'succeeded' },
		{ job_id: jobIds()[1], error: expect.stringContaining('CUDA out of memory') },
	]);
	expect(jsons(result)[1]?.error_description).toMatch(/reads the same job\.[^]* set Run Failed Jobs Again in Options/);
});

it.each([
	...billed.map((way) => [way, /because the service may bill each run\./] as const),
	...own.map((way) => [way, /because the workflow has partner nodes, which cost money\./] as const),
])('If It Costs Nothing does not run a job again that is billed, and the message says why (%s)', async (way, why) => {
	const graph = (own as readonly Way[]).includes(way) ? partnerGraph() : seededGate();
	const result = await runNode(oneRun(way, again('ifFree'), { settings: RETRY }, graph));
	expect(result.error?.description).toMatch(why);
	expect(result.error?.description).toMatch(/set Run Failed Jobs Again to Always/);
	expect(statusesIn(sandbox)).toEqual(['failed']);
	const { outputs } = await runNode(oneRun(way, again('always'), { settings: RETRY }, graph));
	expect(outputs[0]).toHaveLength(1);
	expect(statusesIn(sandbox)).toEqual(['failed', 'failed', 'succeeded']);
});

it.each([
	['no ComfyUI reports its nodes', 'self_hosted', { engineUrl: '', engineIsElsewhere: false }],
	['ComfyUI does not report one of them', 'bare_engine', {}],
] as const)('If It Costs Nothing does not run a job again if %s, and the message says so', async (_, way, changes) => {
	if (way === 'bare_engine') sandbox.inject({ on: 'GET /api/object_info/SandboxGate', times: Infinity, answer: { status: 200, json: {} } });
	const run = oneRun(way, again('ifFree'), { settings: RETRY });
	const result = await runNode({ ...run, credential: credentialFor(sandbox, way, changes) });
	expect(result.error?.description).toMatch(/ComfyUI did not report whether the workflow has partner nodes[^]*enter ComfyUI Address/);
	expect(statusesIn(sandbox)).toEqual(['failed']);
});

it.each(own)('a retry runs jobs again that ComfyUI has forgotten after a restart, also the one that succeeded (%s)', async (way) => {
	const { first, retry } = await retryExecution(twoRun(way, again('ifFree')));
	expect(first.error?.message).toMatch(/CUDA out of memory/);
	const before = jobIds();
	expect(before).toHaveLength(2);
	sandbox.restartEngine();
	const result = await runNode(retry);
	expect(result.error).toBeUndefined();
	const ids = jsons(result).map(({ job_id }) => job_id);
	expect(ids).toHaveLength(2);
	expect(before.some((id) => ids.includes(id))).toBe(false);
});

it.each(['deployment', 'bare_engine'] as const)(
	'a Custom key is never used for a second job, and the message says what to do (%s)',
	async (way) => {
		const options = again('always', { idempotencyKeyMode: 'custom', idempotencyKey: 'order 17' });
		const result = await runNode(oneRun(way, options, { settings: RETRY }));
		expect(result.error?.description).toMatch(/because Idempotency Key is Custom\. To run it again, enter a different key/);
		expect(statusesIn(sandbox)).toEqual(['failed']);
	},
);

it.each(['deployment', 'v1'] as const)('a job that a person canceled does not run again (%s)', async (way) => {
	sandbox.configure({ gateOpen: false });
	const run = runRun(credentialFor(sandbox, way), seededGate(), {
		...webhook(),
		settings: RETRY,
		parameters: { options: again('always') },
	});
	const { result } = startNode(run);
	await until(() => statusesIn(sandbox)[0] === 'running');
	const person = connect({
		interface: way === 'v1' ? 'v1' : 'v2',
		baseUrl: way === 'v1' ? sandbox.urls.hosted : sandbox.urls.deployment,
		token: sandbox.keys.apiKey,
	});
	await person.jobs.cancel(String(jobIds()[0]));
	await person.close();
	expect((await result).error?.description).toMatch(/A person or a stopped execution canceled it/);
	expect(statusesIn(sandbox)).toEqual(['canceled']);
});

it.each(['deployment', 'bare_engine'] as const)('a job that fails in its first try is never repeated within this try (%s)', async (way) => {
	const run = oneRun(way, again('always'));
	sandbox.configure({ memoryFailures: 100 });
	const result = await runNode(run);
	expect(result.error?.message).toMatch(/CUDA out of memory/);
	expect(jobIds()).toHaveLength(1);
	await runNode({ ...run, settings: RETRY, ...webhook() });
	expect(jobIds()).toHaveLength(4);
});

it.each(['hosted', 'bare_engine'] as const)(
	'a failed job whose answer was lost in a retry runs again only in the next try (%s)',
	async (way) => {
		const { stored } = await runStored({ ...oneRun(way, again('always')), credential: credentialFor(sandbox, way) });
		const retry = retryOf(stored);
		sandbox.configure({ memoryFailures: 1 });
		sandbox.inject({ on: way === 'bare_engine' ? 'POST /api/prompt' : 'POST /api/v2/jobs', fault: { kind: 'drop_after' } });
		const second = await runNode(retry);
		expect(second.error?.message).toMatch(/CUDA out of memory/);
		expect(statusesIn(sandbox)).toEqual(['failed', 'failed']);
	},
);

describe('with several ComfyUIs', () => {
	const pool = sharedPool();
	/** Without the jobs of earlier tests, which the servers have forgotten. */
	const statuses = () =>
		pool.sandboxes
			.flatMap(statusesIn)
			.filter((status) => status !== 'expired')
			.toSorted();
	const one = () => runRun(pool.credential(), seededGate(), { ...webhook(), parameters: { options: again('ifFree') } });

	it('Retry On Fail runs only the job again that failed', async () => {
		const { items, workflow } = twoItems();
		pool.sandboxes[0].configure({ memoryFailures: 1 });
		const options = again('ifFree', { concurrency: 1 });
		const result = await runNode(runRun(pool.credential(), workflow, { items, ...webhook(), settings: RETRY, parameters: { options } }));
		expect(result.error).toBeUndefined();
		expect(statuses()).toEqual(['failed', 'succeeded', 'succeeded']);
		expect(jsons(result).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
	});

	it('a retry after a crash of n8n in the second try finds the second job without its record', async () => {
		pool.sandboxes[0].configure({ memoryFailures: 1 });
		const { retry } = await retryExecution(one());
		const third = retryOf(recovered(await diesIn(retry)));
		delete third.goesOnFrom?.executionData?.contextData['node:Under Test'];
		claimedJobs.clear();
		const result = await runNode(third);
		expect(result.error).toBeUndefined();
		expect(statuses()).toEqual(['failed', 'succeeded']);
		expect(jsons(result)[0]).toMatchObject({ recovered: true, status: 'succeeded' });
	});

	it('a retry runs a job again whose server was restarted', async () => {
		pool.sandboxes.forEach((server) => server.configure({ memoryFailures: 1 }));
		const { retry } = await retryExecution(one());
		for (const server of pool.sandboxes) {
			server.restartEngine();
			server.configure({ memoryFailures: 0 });
		}
		const result = await runNode(retry);
		expect(result.error).toBeUndefined();
		expect(statuses()).toEqual(['succeeded']);
		expect(jsons(result)).toHaveLength(1);
	});
});
