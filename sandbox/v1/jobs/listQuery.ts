import { invalid } from '../refusals';
import { JOBS_WORDS } from '../statusWords';

const DEFAULT_LIMIT = 100;
const HIGHEST_LIMIT = 1000;
const SORT_KEYS = ['create_time', 'execution_duration'] as const;

export interface ListQuery {
	statuses: string[] | undefined;
	sortBy: (typeof SORT_KEYS)[number];
	descending: boolean;
	offset: number;
	limit: number;
}

/** Newest first unless said otherwise. @throws Refusal. */
export function readListQuery(query: Record<string, string | string[]>): ListQuery {
	const text = (name: string): string | undefined => [query[name]].flat()[0];
	const statuses = text('status')?.split(',');
	const odd = statuses?.find((word) => !JOBS_WORDS.includes(word));
	if (odd !== undefined) throw invalid(`status has no value ${JSON.stringify(odd)}`);
	const order = text('sort_order') ?? 'desc';
	if (order !== 'asc' && order !== 'desc') throw invalid('sort_order must be asc or desc');
	const wanted = text('sort_by') ?? 'create_time';
	const sortBy = SORT_KEYS.find((key) => key === wanted);
	if (sortBy === undefined) throw invalid(`sort_by must be ${SORT_KEYS.join(' or ')}`);
	return {
		statuses,
		sortBy,
		descending: order === 'desc',
		offset: readCount('offset', text('offset') ?? '0', 0, Infinity),
		limit: readCount('limit', text('limit') ?? String(DEFAULT_LIMIT), 1, HIGHEST_LIMIT),
	};
}

function readCount(name: string, text: string, least: number, most: number): number {
	const count = Number(text);
	if (!Number.isInteger(count) || count < least || count > most) throw invalid(`${name} must be a whole number from ${least} to ${most}`);
	return count;
}
