import { ItemFault } from '../../../nodes/shared/itemFault';

/** The fault that the work throws. @throws Error if it throws none, and any other error. */
export function itemFaultOf(work: () => unknown): ItemFault {
	try {
		work();
	} catch (error) {
		if (error instanceof ItemFault) return error;
		throw error;
	}
	throw new Error('There was no fault');
}
