import type { Execution, ExecutionError, WorkflowDocument } from '../n8nHost';

/** Something a person should read: what happened, then what to do. */
export class DemoFailure extends Error {
	constructor(
		message: string,
		readonly advice: string,
	) {
		super(message);
	}
}

/** Runs one part of the demo; what goes wrong in it is reported under its name. */
export async function part<T>(name: string, advice: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof DemoFailure) throw error;
		throw new DemoFailure(`${name} failed: ${error instanceof Error ? error.message : String(error)}`, advice);
	}
}

const OURS = 'n8n-nodes-comfy.';

export const nodeNamed = (document: WorkflowDocument, type: string): string => {
	const node = document.nodes.find((candidate) => candidate.type === type);
	if (!node) throw new Error(`The workflow "${document.name}" has no ${type} node`);
	return node.name;
};

const failureOf = (node: string, error: ExecutionError | undefined): DemoFailure =>
	new DemoFailure(`"${node}" failed: ${error?.message ?? 'n8n gives no reason'}`, error?.description ?? 'Look at the log of n8n.');

/** Prints each of our steps with the time n8n measured. Throws what n8n shows for a step that failed, or was not reached. */
export function printSteps(document: WorkflowDocument, execution: Execution): void {
	const { runData, error } = execution.data.resultData;
	for (const { name } of document.nodes.filter(({ type }) => type.startsWith(OURS))) {
		const run = runData[name]?.at(-1);
		if (!run || run.error) throw failureOf(name, run?.error ?? error);
		console.log(`  ${name.padEnd(20)}${(run.executionTime / 1000).toFixed(2).padStart(6)} s`);
	}
	if (execution.status !== 'success') throw failureOf(execution.data.resultData.lastNodeExecuted ?? document.name, error);
}
