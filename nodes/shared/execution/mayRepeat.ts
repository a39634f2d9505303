import type { IExecuteFunctions } from 'n8n-workflow';

import { beyondInterface } from './beyondInterface';

const isWorker = (): boolean => process.argv[2] === 'worker';

/**
 * Whether n8n may execute the same execution twice by itself. In queue mode n8n 1.x gives what a dead worker leaves behind
 * to another one: under the same id, as if nothing had been executed, and with a context of that moment.
 */
export function mayRepeat(execution: IExecuteFunctions): boolean {
	const { hooks } = beyondInterface(execution).additionalData ?? {};
	// n8n 2.x, which no longer does, has hooks that know what a retry is of.
	return isWorker() && execution.getMode() !== 'retry' && hooks !== undefined && !('retryOf' in hooks);
}
