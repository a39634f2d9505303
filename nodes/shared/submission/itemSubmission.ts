/**
 * The submission of one item: its states, and the events that change them.
 *
 * ```
 * notSubmitted ── sending ──▶ sending ── accepted ──▶ accepted ── replaced ──▶ replaced
 *      ▲                       │   │                     ▲
 *      └── nothingMade, failed ┘   └── answerLost ──▶ unconfirmed
 * ```
 * A `sending` submission that fails without a clear answer becomes unconfirmed, too. An unconfirmed submission stays so until
 * its job is found: a later rejection does not show that the first attempt made no job.
 */
import type { IDataObject } from 'n8n-workflow';

import type { InterfaceName } from '../../../client';

export interface ItemSubmission {
	state: SubmissionState;
	/** The idempotency key; null if the item sends none. */
	key: string | null;
	/** The item's seeds are derived from it. A job that takes the place of another has the same seeds. */
	seedKey?: string;
	/** The hash of the requested run. An agent's call is recognized by it. */
	hash: string;
	/** When the submission was prepared; epoch milliseconds. */
	openedAt: number;
	/** What the output items report about it, e.g. its seeds. */
	facts?: IDataObject;
	/** The interface that it is sent to. */
	interface?: InterfaceName;
	/** An earlier execution, whose record n8n has lost, may have submitted this item since then; epoch milliseconds. */
	mayExistSince?: number;
	/** When an execution was stopped that wanted the job canceled; epoch milliseconds. */
	stoppedAt?: number;
	/** How many jobs or requests of this item have ended and were replaced. Each replacement has another key. */
	endings: number;
	/** The jobs of this item that are over, each replaced by the next one. */
	replacedJobIds: string[];
	/** The job was recovered: an earlier attempt, or another use of the custom key, has made it. */
	isRecovered?: boolean;
	/** A router run: what was sent. */
	order?: IDataObject;
}

export type SubmissionState =
	/** Nothing was sent, or it is certain that nothing was made. */
	| { kind: 'notSubmitted' }
	/** A request is on its way. `sentGraph` as below. */
	| { kind: 'sending'; sentGraph?: string }
	/** A job may exist. `sentGraph` is the JSON of what was sent: expressions may give something else next time. */
	| { kind: 'unconfirmed'; sentGraph?: string }
	/** `isUnreported`: no output item has reported how the job ended, so the same call of an agent continues with this job. */
	| { kind: 'accepted'; jobId: string; isUnreported?: boolean }
	/** The result of a router run has arrived. `jobId` is its queued request, if it has one. */
	| { kind: 'answered'; jobId?: string }
	/** The job is over, another takes its place, and nothing was sent since. */
	| { kind: 'replaced' };

export type SubmissionEvent =
	/** It takes the place of what was recorded before. */
	| { type: 'opened'; submission: ItemSubmission }
	/** A retry continues with it. */
	| { type: 'resumed'; mayExistSince: number | undefined }
	/** What the output items report about it. */
	| { type: 'described'; facts: IDataObject | undefined }
	/** The interface that it is sent to is known. */
	| { type: 'addressed'; interface: InterfaceName }
	/** Bytes may leave from now on. */
	| { type: 'sending' }
	/** An attempt may have made a job, or may still make one. */
	| { type: 'answerLost' }
	/** No attempt has made a job so far. */
	| { type: 'nothingMade' }
	/** The execution is stopped while the request may be on its way. */
	| { type: 'interrupted'; sentGraph?: string }
	/** `madeNothing`: the answer to the last attempt shows that this attempt made no job. */
	| { type: 'failed'; madeNothing: boolean; sentGraph?: string }
	| { type: 'accepted'; jobId: string; isUnreported?: boolean }
	/** The result of a router run has arrived. */
	| { type: 'answered' }
	/**
	 * The job belongs to an earlier attempt. `later` is set if that attempt had a later key: n8n has lost the jobs before it,
	 * each of which used up a key.
	 */
	| { type: 'recovered'; later?: { key: string; lostJobs: number } }
	/** It is certain for all attempts that nothing was made. */
	| { type: 'neverSubmitted' }
	/** A queued request has ended without a result. Its key would only bring the same end again. */
	| { type: 'ended' }
	| { type: 'reported' }
	| { type: 'unreported' }
	/** The execution is stopped, and its job is to be canceled. `at` in epoch milliseconds, as below. */
	| { type: 'stopped'; at: number }
	/** The job is over: a stop has canceled it, or a retry runs it again. Another takes its place. */
	| { type: 'replaced' };

/** Whether something was sent, and it is not known what came of it. */
export const isUnconfirmed = ({ state: { kind } }: ItemSubmission): boolean => kind === 'sending' || kind === 'unconfirmed';

export const jobIdOf = ({ state }: Pick<ItemSubmission, 'state'>): string | undefined =>
	state.kind === 'accepted' || state.kind === 'answered' ? state.jobId : undefined;

/** A new attempt for an item. @param earlier what is recorded of it; each replaced job has used up a key. */
export const openSubmission = (
	opened: Pick<ItemSubmission, 'key' | 'seedKey' | 'hash' | 'openedAt' | 'facts' | 'order'>,
	earlier?: ItemSubmission,
): ItemSubmission => ({
	...opened,
	state: { kind: 'notSubmitted' },
	endings: earlier?.endings ?? 0,
	replacedJobIds: earlier?.replacedJobIds ?? [],
});

/** Pure. An event that the state does not expect changes nothing. */
export function nextSubmission(submission: ItemSubmission, event: SubmissionEvent): ItemSubmission {
	const { state } = submission;
	switch (event.type) {
		case 'opened':
			return event.submission;
		case 'resumed':
			return { ...submission, mayExistSince: event.mayExistSince };
		case 'described':
			return { ...submission, facts: event.facts };
		case 'addressed':
			return { ...submission, interface: event.interface };
		case 'stopped':
			return { ...submission, stoppedAt: submission.stoppedAt ?? event.at };
		case 'replaced':
			return toReplaced(submission);
		case 'ended':
			return { ...submission, state: { kind: 'notSubmitted' }, endings: submission.endings + 1 };
		case 'recovered':
			return { ...submission, isRecovered: true, ...(event.later && laterDetails(submission, event.later)) };
		default:
			return { ...submission, state: nextState(state, event) };
	}
}

/** The next job gets another key. After a stop, it is searched for only among the jobs made since. */
function toReplaced(submission: ItemSubmission): ItemSubmission {
	const jobId = jobIdOf(submission);
	if (jobId === undefined) return submission;
	const { hash, openedAt, mayExistSince, stoppedAt, endings, replacedJobIds } = submission;
	return {
		state: { kind: 'replaced' },
		key: null,
		hash,
		openedAt: stoppedAt ?? openedAt,
		...(stoppedAt === undefined && mayExistSince !== undefined && { mayExistSince }),
		endings: endings + 1,
		replacedJobIds: [...replacedJobIds, jobId],
	};
}

const laterDetails = (
	{ key, endings }: ItemSubmission,
	later: { key: string; lostJobs: number },
): Pick<ItemSubmission, 'key' | 'endings'> => ({
	key: key === null ? null : later.key,
	endings: endings + later.lostJobs,
});

type StateEvent = Exclude<
	SubmissionEvent,
	{ type: 'opened' | 'resumed' | 'described' | 'addressed' | 'stopped' | 'replaced' | 'ended' | 'recovered' }
>;

function nextState(state: SubmissionState, event: StateEvent): SubmissionState {
	const isOpen = state.kind === 'sending' || state.kind === 'unconfirmed';
	switch (event.type) {
		case 'sending':
			return state.kind === 'notSubmitted' ? { kind: 'sending' } : state;
		case 'answerLost':
			return state.kind === 'sending' ? { ...state, kind: 'unconfirmed' } : state;
		case 'nothingMade':
			return state.kind === 'sending' ? { kind: 'notSubmitted' } : state;
		case 'interrupted':
			return isOpen ? { kind: state.kind, sentGraph: event.sentGraph } : state;
		case 'failed':
			if (state.kind === 'sending' && event.madeNothing) return { kind: 'notSubmitted' };
			return isOpen ? { kind: 'unconfirmed', sentGraph: event.sentGraph } : state;
		case 'accepted':
			return { kind: 'accepted', jobId: event.jobId, isUnreported: event.isUnreported };
		case 'answered':
			return { kind: 'answered', jobId: jobIdOf({ state }) };
		case 'neverSubmitted':
			return { kind: 'notSubmitted' };
		case 'reported':
		case 'unreported':
			return state.kind === 'accepted' ? { ...state, isUnreported: event.type === 'unreported' } : state;
	}
}
