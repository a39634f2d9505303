import type { GraphError } from '../../../client';

/** The facts of the error that this throws. @throws when it throws none. */
export function faultOf(work: () => unknown): GraphError['facts'] {
	try {
		work();
	} catch (error) {
		return (error as GraphError).facts;
	}
	throw new Error('nothing was thrown');
}
