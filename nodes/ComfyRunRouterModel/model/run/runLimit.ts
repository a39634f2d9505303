import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { earlierItemsOf } from '../../../shared/execution/runData';
import { ItemFault } from '../../../shared/itemFault';

const FIELD = 'comfyRouterRuns';

const keyIn = ({ json }: INodeExecutionData): string[] => (typeof json?.idempotency_key === 'string' ? [json.idempotency_key] : []);

/**
 * The keys of this node's runs, kept where n8n's tries and *Retry execution* find them. After n8n died, what it has saved
 * of earlier rounds of a loop tells theirs.
 */
const keysOf = (execution: IExecuteFunctions): string[] =>
	(execution.getContext('node')[FIELD] ??= earlierItemsOf(execution).flatMap(keyIn)) as string[];

/** Counts a run before it is sent; each key once. @throws ItemFault when there have been as many as allowed. */
export function countRun(execution: IExecuteFunctions, key: string, limit: number): void {
	const keys = keysOf(execution);
	if (keys.includes(key)) return;
	if (keys.length >= limit) {
		throw new ItemFault(
			`Limit Runs Per Execution is reached: ${limit}`,
			'This item was not sent. Raise the limit under Options, or give the node fewer items.',
		);
	}
	keys.push(key);
}

/** What was refused before anything ran does not count. */
export function uncountRun(execution: IExecuteFunctions, key: string): void {
	const keys = keysOf(execution);
	if (keys.includes(key)) keys.splice(keys.indexOf(key), 1);
}
