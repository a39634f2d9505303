import { Execution, type Row } from './execution';
import type { Action, History } from './history';

/** An execution, and the retries that it led to. */
export type Chain = [Execution, ...Execution[]];

const TRIGGERS = { none: ['Webhook'], 'of one trigger': ['Webhook', 'Webhook'], 'of two triggers': ['Webhook', 'Schedule'] };

/** All executions of a workflow. */
export class Chains {
	readonly all: Chain[] = [];

	/** @param readRows runs the node that makes the rows. @param now by n8n's clock. */
	constructor(
		private readonly history: History,
		private readonly workflowId: string,
		private readonly readRows: () => Row[],
		private readonly now: () => number,
	) {}

	begin(): Execution[] {
		const { history, workflowId, readRows } = this;
		const establishedAt = this.now();
		for (const trigger of TRIGGERS[history.twins])
			this.all.push([new Execution(history, { workflowId, trigger, establishedAt }, readRows, establishedAt)]);
		return this.all.flat();
	}

	/** Newest first. */
	failed(): Execution[] {
		const failed = this.all.flat().filter(({ state }) => state === 'failed');
		return failed.sort((one, other) => Number(other.id) - Number(one.id));
	}

	/** @param justRan what n8n may still try again by itself. */
	next({ again, failed: nth }: Extract<Action, { does: 'run' }>, justRan: readonly Execution[]): Execution[] {
		const failed = this.failed();
		const execution = failed[nth % failed.length];
		if (execution === undefined) return this.begin();
		if (again === 'Retry execution' || !execution.canResume || !justRan.includes(execution)) return [this.retry(execution)];
		execution.resume();
		return [execution];
	}

	retry(failed: Execution): Execution {
		const retry = new Execution(this.history, failed.start, this.readRows, this.now(), failed);
		this.all.find((chain) => chain.includes(failed))?.push(retry);
		return retry;
	}
}
