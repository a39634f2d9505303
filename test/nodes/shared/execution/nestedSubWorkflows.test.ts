/** Sub-workflows that a sub-workflow calls. */
import type { IRunExecutionData, RelatedExecution } from 'n8n-workflow';

import { freshSandbox } from '../../support/sandbox';
import { type Called, callsTo, caller, havingCalled, inRetry, nextId, webhookContext } from '../../support/subWorkflows';

const sandbox = freshSandbox();
const call = callsTo(sandbox);

/** What n8n hands down then is the context of what is between, which is new in a retry; what that has from above is in n8n's store. */
const between = (root: RelatedExecution): { parent: RelatedExecution; storedExecutions: Record<string, IRunExecutionData> } => {
	const parent = caller(
		{ version: 1, establishedAt: Date.now(), source: 'integrated', parentExecutionId: root.executionId },
		nextId(),
		'between',
	);
	return { parent, storedExecutions: { [parent.executionId]: { ...havingCalled(), parentExecution: root } as IRunExecutionData } };
};

it('M1: two calls of the inner sub-workflow with different items make a job each, also in a retry with another row before them', async () => {
	const context = webhookContext();
	const colored = (color: number): Called => ({
		items: [{ json: { color, row_number: color + 1 } }],
		parameters: { options: { inputValues: '={{ { Canvas: { color: $json.color } } }}' } },
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
