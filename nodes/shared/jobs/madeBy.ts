import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Job, MadeBy } from '../../../client';
import { jobIds, jobItem } from './jobItems';

/** Where the job of an item comes from. None of these names holds an expression. */
export function madeBy(execution: IExecuteFunctions, itemIndex: number): MadeBy {
	const { id = null, name = null } = execution.getWorkflow();
	return {
		workflow_id: id,
		workflow_name: name,
		execution_id: execution.getExecutionId(),
		node: execution.getNode().name,
		item: itemIndex,
	};
}

/** An item about any job, with where it comes from beside the ids: null where nobody has said so, or the service does not keep it. */
export const toldJob = (job: Job): IDataObject => ({ ...jobIds(job), made_by: null, ...jobItem(job) });
