import { Execution, type Row } from './execution';
import type { Action, History } from './history';

/** An execution, and the retries that it led to. */
export type Chain = [Execution, ...Execution[]];

const TRIGGERS = { none: ['Webhook'], 'of one trigger': ['Webhook', 'Webhook'], 'of two triggers': ['Webhook', 'Schedule'] };

/** All executions of a workflow. */
export class Chains {
	readonly chains: Chain[] = [];

	/** @param readRows runs the node that makes them. */
	constructor(
		private readonly history: History,
		private readonly workflowId: string,
		private readonly readRows: () => Row[],
	) {}

	/** @param now by n8n's clock. Twins start at the same time. */
	begin(now: number): Execution[] {
		for (const trigger of TRIGGERS[this.history.twins])
			this.chains.push([new Execution(this.history, { workflowId: this.workflowId, trigger, establishedAt: now }, this.readRows, now)]);
		return this.chains.flat();
	}

	retry(failed: Execution, now: number): Execution {
		const retry = new Execution(this.history, failed.start, this.readRows, now, failed);
		this.chains.find((chain) => chain.includes(failed))?.push(retry);
		return retry;
	}

	/** @param justRan what n8n may still try again by itself. */
	next({ again, failed: nth }: Extract<Action, { does: 'run' }>, justRan: readonly Execution[], now: number): Execution[] {
		const failed = this.failed();
		const execution = failed[nth % failed.length];
		if (execution === undefined) return this.begin(now);
		if (again === 'Retry execution' || !execution.canResume || !justRan.includes(execution)) return [this.retry(execution, now)];
		execution.resume();
		return [execution];
	}

	/** Newest first. */
	failed(): Execution[] {
		const failed = this.chains.flat().filter(({ state }) => state === 'failed');
		return failed.sort((one, other) => Number(other.id) - Number(one.id));
	}
}
