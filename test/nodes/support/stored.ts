/** What n8n stores of an execution, and how it reads it back. It does not load n8n's engine. */
import { randomUUID } from 'node:crypto';

import type { IRunExecutionData, ITaskData } from 'n8n-workflow';

import type { NodeRun } from './engine';

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** An execution as n8n's database holds it. */
export interface Stored {
	run: NodeRun;
	executionId: string;
	data: IRunExecutionData;
	/** In the order of the workflow. */
	nodeNames: string[];
	/** By what n8n has written into its log. */
	started: Set<string>;
	ended: Set<string>;
}

/** n8n's own words are of no matter. */
const CRASHED = { name: 'NodeCrashedError', message: 'Execution stopped at this node' } as ITaskData['error'];
const MADE_UP = { main: [[{ json: { isArtificialRecoveredEventItem: true }, pairedItem: undefined }]] };

/** What n8n makes of it when it is started again, by its log (`amend` in execution-recovery.service.js, 2.40). */
export function recovered(stored: Stored): Stored {
	const data = copy(stored.data);
	const { runData } = data.resultData;
	for (const name of stored.nodeNames.filter((one) => stored.started.has(one) && runData[one] === undefined)) {
		const hasEnded = stored.ended.has(name);
		const outcome = hasEnded
			? { executionStatus: 'success' as const, data: MADE_UP }
			: { executionStatus: 'crashed' as const, error: CRASHED };
		runData[name] = [{ startTime: Date.now(), executionIndex: 0, executionTime: 0, source: [null], ...outcome }];
		data.resultData.lastNodeExecuted = name;
	}
	return { ...stored, data: copy(data) };
}

/** What *Retry execution* makes of it (`retry` in execution.service.js, 2.40). */
export function retryOf({ run, executionId, data: stored }: Stored): NodeRun & { executionId: string } {
	const data = copy(stored);
	const { lastNodeExecuted, runData } = data.resultData;
	const last = runData[lastNodeExecuted ?? ''];
	if (lastNodeExecuted !== undefined) delete data.resultData.error;
	if (last?.at(-1)?.error !== undefined) last.pop();
	return { ...run, mode: 'retry', executionId: randomUUID(), retryOf: executionId, goesOnFrom: data };
}
