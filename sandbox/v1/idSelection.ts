import { invalid } from './refusals';
import { isRecord, isTexts } from '../records';

export interface IdSelection {
	ids: string[];
	clear: boolean;
}

/** The closed body `{delete?, clear?}`. @throws Refusal. */
export function readIdSelection(body: unknown): IdSelection {
	if (!isRecord(body)) throw invalid('The body must be a JSON object');
	const odd = Object.keys(body).find((field) => field !== 'delete' && field !== 'clear');
	if (odd !== undefined) throw invalid(`The body has no field ${odd}`);
	const { delete: ids = [], clear = false } = body;
	if (!isTexts(ids)) throw invalid('delete must be a list of job ids');
	if (typeof clear !== 'boolean') throw invalid('clear must be true or false');
	return { ids, clear };
}
