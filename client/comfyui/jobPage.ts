import { isRecord, type JsonRecord, numberOr, requireRecord, recordsOf, textOr, type Unchecked } from '../decode';
import { ShapeError } from '../errors';
import type { V1 } from '../generated/v1';
import type { Job } from '../job';
import type { JobPage } from '../ports';

/** An entry of a list, with its id and its status word. */
export type EntryDecoder = (entry: JsonRecord, jobId: string, word: string) => Job;

/** A page of `/api/jobs`, which engines have as well. @throws ShapeError when this is no list. */
export const jobPageDecoder =
	(decodeEntry: EntryDecoder, offset: number) =>
	(value: unknown): JobPage => {
		const { jobs, pagination } = requireRecord<V1['JobPage']>(value, 'page');
		if (!Array.isArray(jobs)) throw new ShapeError('page holds no list');
		const page = recordsOf(jobs).flatMap((entry) => {
			const jobId = textOr(entry.id, undefined);
			return jobId === undefined ? [] : [decodeEntry(entry, jobId, textOr(entry.status, ''))];
		});
		const end = offset + jobs.length;
		const { has_more: hasMore, total }: Unchecked<V1['JobPage']['pagination']> = isRecord(pagination) ? pagination : {};
		const goesOn = jobs.length > 0 && (hasMore === true || (hasMore === undefined && numberOr(total, 0) > end));
		return { jobs: page, ...(goesOn && { nextCursor: String(end) }) };
	};
