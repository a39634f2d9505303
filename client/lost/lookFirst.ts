import { clock } from '../clock';
import type { Job } from '../job';
import type { Submission, SubmitOptions } from '../ports';
import type { JobFinder, Sought } from './jobFinder';

/** Whose the job of a submission is. */
export const ownerOf = ({ submissionId, idempotencyKey }: SubmitOptions): unknown => submissionId ?? idempotencyKey ?? {};

/** When it may first have been sent; undefined where it surely was not. */
export const sentSince = ({ mayExistSince, earlierAnswerLost, firstSentAt = clock.wallNow() }: SubmitOptions): number | undefined =>
	mayExistSince ?? (earlierAnswerLost === true ? firstSentAt : undefined);

export const soughtBy = ({ graph }: Submission, options: SubmitOptions, since: number): Sought => ({
	graph,
	since,
	owner: ownerOf(options),
	knownJobIds: options.knownJobIds,
	laterIds: options.laterIds,
	graphFor: options.graphFor,
	onFound: options.onFound,
	key: options.idempotencyKey,
	before: options.mayExistSince === undefined || options.earlierAnswerLost === true ? undefined : 'untold',
	signal: options.signal,
});

/**
 * Where sending could make a second job: looks for the first.
 * @returns undefined where there is none, for certain.
 * @throws UnknownOutcomeError where that is not certain.
 */
export async function lookFirst(finder: JobFinder, submission: Submission, options: SubmitOptions): Promise<Job | undefined> {
	const since = sentSince(options);
	if (since === undefined) return undefined;
	const sought = soughtBy(submission, options, since);
	return options.earlierAnswerLost === true ? await finder.lost({ ...sought, isProven: false }) : await finder.earlier(sought);
}
