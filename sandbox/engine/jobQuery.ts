/** The query of `GET /api/jobs`. */
const JOB_STATUSES = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;
export type JobStatusWord = (typeof JOB_STATUSES)[number];

export interface JobQuery {
	statuses: readonly string[];
	sortBy: 'created_at' | 'execution_duration';
	descending: boolean;
	offset: number;
	/** Null: all. */
	limit: number | null;
}

/** What is wanted, newest first unless said otherwise, or the body of a 400. */
export function readJobQuery(query: Record<string, string>): JobQuery | { error: string } {
	const { status, sort_by: sortBy = 'created_at', sort_order: order = 'desc', limit, offset = '0' } = query;
	const statuses = status === undefined ? JOB_STATUSES : status.split(',').map((word) => word.trim().toLowerCase());
	const odd = statuses.filter((word) => !JOB_STATUSES.some((known) => known === word));
	if (odd.length > 0) return { error: `Invalid status value(s): ${odd.join(', ')}. Valid values: ${JOB_STATUSES.join(', ')}` };
	if (sortBy !== 'created_at' && sortBy !== 'execution_duration')
		return { error: 'sort_by must be one of: created_at, execution_duration' };
	if (order !== 'asc' && order !== 'desc') return { error: "sort_order must be 'asc' or 'desc'" };
	if (limit !== undefined && !/^[1-9]\d*$/.test(limit)) return { error: 'limit must be a positive integer' };
	if (!/^-?\d+$/.test(offset)) return { error: 'offset must be an integer' };
	return {
		statuses,
		sortBy,
		descending: order === 'desc',
		offset: Math.max(0, Number(offset)),
		limit: limit === undefined ? null : Number(limit),
	};
}
