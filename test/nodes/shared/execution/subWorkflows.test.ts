import { ExecutionLifecycleHooks } from 'n8n-core';
import type { IRunExecutionData, IWorkflowBase, RelatedExecution } from 'n8n-workflow';

import { forgetArrivals } from '../../../../nodes/shared/execution/arrivals';
import { type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { credentialFor, type Way } from '../../support/flavours';
import { COLOR_OF_ITEM, colorGraph } from '../../support/graphs';
import { jsons, submitRun } from '../../support/submit';
import { freshSandbox } from '../../support/sandbox';
import { type Called, callsTo, caller, havingCalled, inRetry, nextId, READING, webhookContext } from '../../support/subWorkflows';

const sandbox = freshSandbox();

const call = callsTo(sandbox);

/** Whether an earlier execution may have submitted the item, so that its job was searched for. */
const isSearched = ({ contextData }: NodeResult): boolean => JSON.stringify(contextData).includes('may_exist_since');

it.each<Way>(['deployment', 'self_hosted', 'hosted', 'engine'])(
	'a retry of the calling execution returns the job of its sub-workflow (%s)',
	async (way) => {
		const context = webhookContext();
		const parent = caller(context);
		// Another node, whose result n8n has kept, submitted the same.
		await call(parent, { way, settings: { id: 'another' } });
		const first = await call(parent, { way });
		const second = await call(caller(context), { way, ...inRetry });
		expect(sandbox.ledger.runs).toHaveLength(2);
		expect(second.jobId).toBe(first.jobId);
		expect(jsons(first)[0]).not.toHaveProperty('recovered');
		expect(jsons(second)[0]).toMatchObject({ recovered: true });
		expect([isSearched(first), isSearched(second)]).toEqual([false, true]);
	},
);

it('three calls with equal items make three jobs, and a retry returns them in this order', async () => {
	const context = webhookContext();
	const jobs = async (parent: RelatedExecution, run?: Called) => [
		(await call(parent, run)).jobId,
		(await call(parent, run)).jobId,
		(await call(parent, run)).jobId,
	];
	const first = await jobs(caller(context));
	expect(new Set(first).size).toBe(3);
	expect(await jobs(caller(context), inRetry)).toEqual(first);
	expect(sandbox.ledger.runs).toHaveLength(3);
});

it('a call from another workflow, with another start time or with other items is a different call', async () => {
	const context = webhookContext(1_000);
	await call(caller(context));
	await call(caller(webhookContext(2_000)), inRetry);
	await call(caller(context, nextId(), 'another parent'), inRetry);
	await call(caller(context), { ...inRetry, items: [{ json: { prompt: 'a frog' } }], ...READING });
	expect(sandbox.ledger.runs).toHaveLength(4);
});

describe('a retry that begins in the middle of a loop', () => {
	const items = [{ json: { prompt: 'a frog' } }];

	it('counts the stored calls that had equal items', async () => {
		const context = webhookContext();
		const parent = caller(context);
		const other = await call(parent, READING);
		const called: Called = { items, ...READING };
		const [one, two, three] = [await call(parent, called), await call(parent, called), await call(parent, called)];
		const retry = caller(context);
		const storedExecutions = {
			[retry.executionId]: havingCalled(other.id, one.id, two.id),
			[other.id]: other.data,
			[one.id]: one.data,
			[two.id]: two.data,
		};
		expect((await call(retry, { ...inRetry, ...called, storedExecutions })).jobId).toBe(three.jobId);
		expect((await call(retry, { ...inRetry, ...called, storedExecutions })).jobId).not.toBe(three.jobId);
		expect(sandbox.ledger.runs).toHaveLength(5);
	});

	it('returns the first job and marks it as recovered when n8n did not keep the earlier calls', async () => {
		const context = webhookContext();
		const parent = caller(context);
		const first = await call(parent);
		await call(parent);
		const gone = nextId();
		const retry = caller(context);
		const second = await call(retry, { ...inRetry, storedExecutions: { [retry.executionId]: havingCalled(gone) } });
		expect(jsons(second)[0]).toMatchObject({ job_id: first.jobId, recovered: true });
		expect(sandbox.ledger.runs).toHaveLength(2);
	});
});

it.each([true, false])(
	'an execution that continues in another process reuses no key of its earlier calls (n8n kept them: %s)',
	async (isKept) => {
		const context = webhookContext();
		// What the other process made is made here by a retry, because nothing of it is remembered for the one that goes on.
		const before = await call(caller(context), inRetry);
		const [unseen, parent] = [nextId(), caller(context)];
		const storedExecutions = { [parent.executionId]: havingCalled(unseen), ...(isKept && { [unseen]: before.data }) };
		const next = await call(parent, { storedExecutions });
		expect(next.jobId).not.toBe(before.jobId);
		expect(jsons(next)[0]).not.toHaveProperty('recovered');
		expect(sandbox.ledger.runs).toHaveLength(2);
	},
);

it('calls with other items that n8n kept do not change which job a retry returns', async () => {
	const [context, parentId] = [webhookContext(), nextId()];
	const colored = (prompt: string): Called => ({ items: [{ json: { prompt } }], ...READING });
	const other = await call(caller(context, parentId), colored('a frog'));
	forgetArrivals();
	const storedExecutions = { [parentId]: havingCalled(other.id), [other.id]: other.data };
	const hare = await call(caller(context, parentId), { ...colored('a hare'), storedExecutions });
	const retry = caller(context);
	expect((await call(retry, { ...inRetry, ...colored('a hare') })).jobId).toBe(hare.jobId);
	expect(sandbox.ledger.runs).toHaveLength(2);
});

it('equal calls of an agent’s tool make a job for each call of the sub-workflow, and a retry returns them', async () => {
	const context = webhookContext();
	const jobs = async (run: Called): Promise<unknown[]> => {
		const parent = caller(context);
		return [(await call(parent, { ...run, asTool: true })).jobId, (await call(parent, { ...run, asTool: true })).jobId];
	};
	const first = await jobs({});
	expect(new Set(first).size).toBe(2);
	expect(await jobs(inRetry)).toEqual(first);
	expect(sandbox.ledger.runs).toHaveLength(2);
});

it('a sub-workflow whose n8n does not say when its root execution began runs, and its retry sends nothing and says so', async () => {
	const { executionId, workflowId } = caller(webhookContext());
	// n8n did not keep the execution between the last of these callers and its root execution.
	const between = { ...webhookContext(), source: 'integrated' as never, parentExecutionId: nextId() };
	const unknown = [{ executionId, workflowId }, caller({ ...webhookContext(), source: 'retry' as never }), caller(between)];
	for (const parentExecution of unknown) expect(jsons(await call(parentExecution))[0]).not.toHaveProperty('recovered');
	for (const parentExecution of unknown) {
		const retry = submitRun(credentialFor(sandbox, 'engine'), colorGraph(1), {
			mode: 'integrated',
			executionId: nextId(),
			parentExecution,
		});
		expect((await runNode({ ...retry, rootMode: 'retry' })).error?.message).toMatch(/may have submitted this item, and n8n has lost/);
	}
	expect(sandbox.ledger.runs).toHaveLength(3);
});

describe('retried itself', () => {
	/** n8n makes a new context then, because it stores none with the execution of a sub-workflow before it ends. */
	it.each([true, false])(
		'a retry of a sub-workflow returns its own job, or the first one on n8n 1.x, which does not name the retried execution (n8n was restarted: %s)',
		async (isRestarted) => {
			const tellsRetries = 'retryOf' in new ExecutionLifecycleHooks('retry', '2', {} as IWorkflowBase, '1');
			const context = webhookContext();
			const parent = caller(context);
			const calls = [await call(parent), await call(parent), await call(parent)];
			const storedExecutions = {
				[parent.executionId]: havingCalled(...calls.map(({ id }) => id)),
				// The process that made the calls knows their items.
				...(isRestarted && Object.fromEntries(calls.map(({ id, data }) => [id, data]))),
			};
			if (isRestarted) forgetArrivals();
			for (const { id, jobId } of [...calls].reverse()) {
				const again: Called = { mode: 'retry', rootMode: undefined, storedExecutions };
				const retried = await call({ ...parent, executionContext: { ...context } }, { ...again, retryOf: id });
				// n8n names only the execution that a retry retries, not the first one of a chain.
				const retriedAgain = await call({ ...parent, executionContext: { ...context } }, { ...again, retryOf: retried.id });
				expect(jsons(retriedAgain)[0]).toMatchObject({ job_id: calls[0]?.jobId, recovered: true });
				expect(jsons(retried)[0]).toMatchObject({ job_id: tellsRetries ? jobId : calls[0]?.jobId, recovered: true });
			}
			expect(sandbox.ledger.runs).toHaveLength(3);
		},
	);

	it('a retry after an ordinary failure has its position from n8n', async () => {
		const parentExecution = caller(webhookContext());
		const two: Partial<NodeRun> = { items: [{}, {}], parameters: { options: { concurrency: 1 } } };
		await call(parentExecution, two);
		sandbox.inject({
			on: 'POST /api/prompt',
			surface: 'engine',
			answer: { status: 400, json: { error: { type: 'invalid_prompt', message: 'no', details: '', extra_info: {} }, node_errors: {} } },
		});
		const failed = await runNode(
			submitRun(credentialFor(sandbox, 'engine'), colorGraph(1), {
				mode: 'integrated',
				rootMode: 'webhook',
				executionId: nextId(),
				parentExecution,
				...two,
			}),
		);
		expect(failed.error).toBeDefined();
		const [entry] = Object.values(failed.contextData['node:Under Test']?.comfySubmissions as Record<string, { key: string }>);
		const retried = await call(parentExecution, {
			...two,
			mode: 'retry',
			rootMode: undefined,
			contextData: failed.contextData,
			executionContext: failed.executionContext,
		});
		expect(retried.jobId).toBe(entry?.key);
		expect(jsons(retried).map(({ job_id: id }) => id)).toEqual(sandbox.ledger.runs.slice(2).map(({ jobId }) => jobId));
		expect(sandbox.ledger.runs).toHaveLength(4);
	});
});

it('a sub-workflow that an agent calls as its tool returns its job after a crash, and searches for none in the process that started its execution', async () => {
	const context = webhookContext(Date.now() - 86_400_000);
	const first = await call(caller(context));
	const second = await call(caller(context), { rootMode: undefined });
	expect(jsons(second)[0]).toMatchObject({ job_id: first.jobId, recovered: true });
	const third = await call(caller(webhookContext()), { rootMode: undefined });
	expect([first, second, third].map(isSearched)).toEqual([false, true, false]);
});

describe('sub-workflows that a sub-workflow calls', () => {
	/** What n8n hands down then is the context of what is between, which is new in a retry; what that has from above is in n8n's store. */
	const between = (root: RelatedExecution): { parent: RelatedExecution; storedExecutions: Record<string, IRunExecutionData> } => {
		const parent = caller(
			{ version: 1, establishedAt: Date.now(), source: 'integrated', parentExecutionId: root.executionId },
			nextId(),
			'between',
		);
		return { parent, storedExecutions: { [parent.executionId]: { ...havingCalled(), parentExecution: root } as IRunExecutionData } };
	};

	it('a retry of the root execution returns the jobs of equal calls, which two executions between made', async () => {
		const context = webhookContext();
		const jobs = async (run?: Called) => {
			const root = caller(context);
			const all: unknown[] = [];
			for (const { parent, storedExecutions } of [between(root), between(root)])
				for (let times = 0; times < 2; times++) all.push((await call(parent, { ...run, storedExecutions })).jobId);
			return all;
		};
		const first = await jobs();
		expect(new Set(first).size).toBe(4);
		expect(await jobs(inRetry)).toEqual(first);
		expect(sandbox.ledger.runs).toHaveLength(4);
	});

	it('M1: two calls of the inner sub-workflow with different items make a job each, also in a retry with another row before them', async () => {
		const context = webhookContext();
		const colored = (color: number): Called => ({
			items: [{ json: { color, row_number: color + 1 } }],
			parameters: { options: COLOR_OF_ITEM },
		});
		const jobs = async (colors: number[], run?: Called) => {
			const root = caller(context);
			const { parent, storedExecutions } = between(root);
			const all: unknown[] = [];
			for (const color of colors) all.push((await call(parent, { ...run, ...colored(color), storedExecutions })).jobId);
			return all;
		};
		const first = await jobs([3, 4]);
		expect(new Set(first).size).toBe(2);
		expect(await jobs([5, 3, 4], inRetry)).toEqual([expect.any(String), ...first]);
		expect(sandbox.ledger.runs.map(({ jobId }) => sandbox.job(jobId)?.graph['1']?.inputs.color)).toEqual([3, 4, 5]);
	});

	it('a retry of the root execution in the middle returns the job of an inner call, whatever was called before it', async () => {
		const context = webhookContext();
		const root = caller(context);
		const inner = async (of: RelatedExecution, run: Called = {}) => {
			const { parent, storedExecutions } = between(of);
			return (await call(parent, { ...run, storedExecutions: { ...storedExecutions, ...run.storedExecutions } })).jobId;
		};
		const [one, two] = [await inner(root), await inner(root)];
		const retry = caller(context);
		const kept = havingCalled(nextId());
		for (const { metadata } of kept.resultData.runData['Execute Workflow'] ?? []) metadata!.subExecution!.workflowId = 'between';
		const run: Called = { ...inRetry, storedExecutions: { [retry.executionId]: kept } };
		expect([await inner(retry, run), await inner(retry, run)]).toEqual([one, two]);
		expect(sandbox.ledger.runs).toHaveLength(2);
	});

	it('an error workflow starts something new: its calls are identified by its own start', async () => {
		const context = { ...webhookContext(), parentExecutionId: nextId() };
		const runIn = async (parent: RelatedExecution, run?: Called) =>
			await call(parent, { ...run, storedExecutions: { [parent.executionId]: havingCalled() } });
		const first = await runIn(caller(context));
		expect((await runIn(caller(context), inRetry)).jobId).toBe(first.jobId);
		expect((await runIn(caller({ ...context, establishedAt: 1 }))).jobId).not.toBe(first.jobId);
	});
});
