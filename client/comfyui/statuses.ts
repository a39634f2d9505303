import type { JobStatus } from '../job';

/** v1's status words, of three vocabularies, in v2's words. */
const STATUS_OF_WORD: ReadonlyMap<string, JobStatus> = new Map([
	['success', 'succeeded'],
	['completed', 'succeeded'],
	['error', 'failed'],
	['failed', 'failed'],
	['non_retryable_error', 'failed'],
	['lost', 'failed'],
	['cancelled', 'canceled'],
	['cancel_requested', 'canceling'],
	['preparing', 'running'],
	['executing', 'running'],
	['in_progress', 'running'],
]);

/** Failures whose word says more than the error itself. */
const TELLING_WORDS: ReadonlySet<string> = new Set(['non_retryable_error', 'lost']);

/** Any word that is new to us is taken for a job that has not begun. */
export const jobStatusOf = (word: string): JobStatus => STATUS_OF_WORD.get(word) ?? 'queued';

/** The code of a failure that the status word itself names. */
export const codeOfWord = (word: string): string | undefined => (TELLING_WORDS.has(word) ? word : undefined);

/** Queues have a place in place of a word: it is what the job's own read and the list of jobs call it. */
export const QUEUE_WORDS = {
	running: { status: 'running', service_status: 'in_progress' },
	pending: { status: 'queued', service_status: 'pending' },
} as const;
