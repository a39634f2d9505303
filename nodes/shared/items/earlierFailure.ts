import type { IDataObject } from 'n8n-workflow';

import { ItemFault } from '../itemFault';

const PASSED_ON = 'This happened in an earlier node, which passed the item on.';

interface EarlierFailure {
	fault: ItemFault;
	/** What that node knew of the item. */
	known: IDataObject;
}

/** What went wrong with an item in an earlier node of ours, whose Continue On Fail let it pass: that is why it lacks a value. */
export function earlierFailure({ error, error_description: advice, ...known }: IDataObject): EarlierFailure | undefined {
	if (typeof error !== 'string' || typeof advice !== 'string') return undefined;
	const isTold = advice.includes(PASSED_ON);
	return { fault: new ItemFault(error, isTold ? advice : [advice, PASSED_ON].filter(Boolean).join('\n')), known };
}
