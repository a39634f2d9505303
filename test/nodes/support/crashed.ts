import { randomUUID } from 'node:crypto';

import type { IRunExecutionData } from 'n8n-workflow';

import { NODE_NAME, type NodeResult, type NodeRun, runNode } from './engine';
import { recovered, retryOf, type Stored } from './stored';

interface Death {
	/** In the node under test by default. */
	node?: string;
	/** In which run of it; in the first by default. */
	runIndex?: number;
	/** Whether the workflow has *Save execution progress*. */
	savesProgress?: boolean;
}

/** As production executions are. */
const produced = (run: NodeRun): NodeRun & { executionId: string } => ({
	mode: 'webhook',
	...run,
	executionId: run.executionId ?? randomUUID(),
});

const nodeNamesOf = ({ around }: NodeRun): string[] => ['Start', NODE_NAME, ...(around?.nodes ?? []).map(({ name }) => name)];

/** Runs until the node has done its work, and goes no further: to n8n's database and log it never ended. */
export async function diesIn(run: NodeRun, { node = NODE_NAME, runIndex = 0, savesProgress = false }: Death = {}): Promise<Stored> {
	const begun = produced(run);
	const [started, ended] = [new Set<string>(), new Set<string>()];
	let text = '';
	let left = runIndex;
	return await new Promise((resolve, reject) => {
		const watch: NodeRun['watch'] = (hooks) => {
			hooks.addHandler('workflowExecuteBefore', async (_, data) => void (text = JSON.stringify(data)));
			hooks.addHandler('nodeExecuteBefore', async (name) => void started.add(name));
			hooks.addHandler('nodeExecuteAfter', async (name, _, data) => {
				if (name === node && left-- === 0) {
					resolve({
						run,
						executionId: begun.executionId,
						data: JSON.parse(text) as IRunExecutionData,
						nodeNames: nodeNamesOf(run),
						started,
						ended,
					});
					await new Promise(() => undefined);
				}
				ended.add(name);
				data.resultData.lastNodeExecuted = name;
				if (savesProgress) text = JSON.stringify(data);
			});
		};
		runNode({ ...begun, watch }).then(() => reject(new Error(`${node} has not had so many runs`)), reject);
	});
}

/** The retry of an execution that n8n did not survive. */
export const retryAfterDeath = async (run: NodeRun, death: Death = {}): Promise<NodeRun & { executionId: string }> =>
	retryOf(recovered(await diesIn(run, death)));

/** Runs to its end, as a production execution. */
export async function runStored(run: NodeRun): Promise<{ result: NodeResult; stored: Stored }> {
	const begun = produced(run);
	const result = await runNode(begun);
	const { data } = JSON.parse(result.stored) as { data: IRunExecutionData };
	return {
		result,
		stored: { run, executionId: begun.executionId, data, nodeNames: nodeNamesOf(run), started: new Set(), ended: new Set() },
	};
}
