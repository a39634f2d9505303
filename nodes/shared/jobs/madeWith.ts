import type { IDataObject } from 'n8n-workflow';

import type { ItemContext } from '../operation';

/** The seeds that an item of Comfy Run Workflow tells of this job: no service keeps them, so they are handed on. */
export function madeWith({ execution, itemIndex }: Pick<ItemContext<unknown>, 'execution' | 'itemIndex'>, jobId: string): IDataObject {
	const { job_id: id, seed, seeds } = execution.getInputData()[itemIndex]?.json ?? {};
	return id === jobId && seeds !== undefined ? { seed, seeds } : {};
}
