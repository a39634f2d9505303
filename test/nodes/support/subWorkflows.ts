/** Executions that call our node in a sub-workflow, as n8n describes them to it. */
import type { IExecutionContext, IRunExecutionData, RelatedExecution } from 'n8n-workflow';

import type { Sandbox } from '../../../sandbox';
import { type NodeResult, type NodeRun, runNode } from './engine';
import { credentialFor, type Way } from './flavours';
import { colorGraph } from './graphs';
import { jsons, submitRun } from './submit';

let lastId = 1_000;
/** As n8n counts its executions. */
export const nextId = () => String((lastId += 1));

/** Of an execution that a webhook started. */
export const webhookContext = (establishedAt = Date.now()): IExecutionContext => ({ version: 1, establishedAt, source: 'webhook' });

/** What n8n hands to what an execution calls; a retry has the context of its first start, each time in another object. */
export const caller = (executionContext: IExecutionContext, executionId = nextId(), workflowId = 'parent'): RelatedExecution => ({
	executionId,
	workflowId,
	executionContext: { ...executionContext },
});

export type Called = Partial<NodeRun> & { way?: Way };

type Call = (parent: RelatedExecution, run?: Called) => Promise<NodeResult & { id: string; jobId: unknown }>;

/** Returns a function that runs our node in a sub-workflow of an execution. */
export const callsTo =
	(sandbox: Sandbox): Call =>
	async (parentExecution, { way = 'engine', ...run } = {}) => {
		const executionId = run.executionId ?? nextId();
		const place = { rootMode: 'webhook', ...run, executionId, parentExecution } as const;
		const result = await runNode(submitRun(credentialFor(sandbox, way), colorGraph(1), { mode: 'integrated', ...place }));
		expect(result.error).toBeUndefined();
		return { ...result, id: executionId, jobId: jsons(result)[0]?.job_id };
	};

export const inRetry: Called = { rootMode: 'retry' };

/** The node reads a field of its items. */
export const READING: Called = { parameters: { options: { inputValues: '={{ $json.prompt ? {} : {} }}' } } };

/** What n8n has stored of an execution whose node Execute Workflow has called these. */
export const havingCalled = (...ids: string[]): IRunExecutionData =>
	({
		resultData: {
			runData: {
				'Execute Workflow': ids.map((executionId) => ({
					metadata: { subExecution: { executionId, workflowId: 'wf1' } },
					data: { main: [[{ json: {} }]] },
					source: [{ previousNode: 'Loop' }],
				})),
			},
		},
	}) as unknown as IRunExecutionData;
