import type { IExecuteFunctions } from 'n8n-workflow';

import { ItemFault } from '../../shared/operations';

const FIELD = 'comfyRouterRuns';

/** The keys of this node's runs, kept where n8n's tries and *Retry execution* find them. */
const keysOf = (execution: IExecuteFunctions): string[] => (execution.getContext('node')[FIELD] ??= []) as string[];

/** Counts a run before it is sent; each key once. @throws ItemFault when there have been as many as allowed. */
export function countRun(execution: IExecuteFunctions, key: string, limit: number): void {
	const keys = keysOf(execution);
	if (keys.includes(key)) return;
	if (keys.length >= limit) {
		throw new ItemFault(`Limit Runs Per Execution is reached: ${limit}`, 'This item was not sent. Raise the limit under Options, or give the node fewer items.');
	}
	keys.push(key);
}

/** What was refused before anything ran does not count. */
export function uncountRun(execution: IExecuteFunctions, key: string): void {
	const keys = keysOf(execution);
	if (keys.includes(key)) keys.splice(keys.indexOf(key), 1);
}
