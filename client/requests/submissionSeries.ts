/** The parts of a submission that all interfaces have in common. */
import { jsonBody } from './serviceApi';
import { clock } from '../async/clock';
import { confirmLimitMs, POLICIES, type RetryDecision } from '../contact/policy';
import { RetrySeries } from '../contact/retry';
import { DEFAULT_LOST_AFTER_MS, type ServerContact } from '../contact/serverContact';
import { AnswerError } from '../errors/errors';
import { isRecord } from '../json/decode';
import type { NewJob, SubmitOptions } from '../ports/jobService';
import type { HttpClient } from '../transport/http';

/**
 * @param field the interface's name for the graph.
 * @param otherFields of the body.
 */
export function toSubmissionBody(
	field: 'workflow' | 'prompt',
	newJob: NewJob,
	otherFields: Record<string, unknown> = {},
): ReturnType<typeof jsonBody> {
	const extraData = toExtraData(newJob);
	const hasExtraData = Object.keys(extraData).length > 0;
	return jsonBody({ [field]: newJob.graph, ...(hasExtraData && { extra_data: extraData }), ...otherFields });
}

/** ComfyUI's list of jobs fails if `extra_pnginfo` or its `workflow` is null. */
function toExtraData({ graph, extraData = {}, toEditorFile }: NewJob): Record<string, unknown> {
	const ownInfo = isRecord(extraData.extra_pnginfo) ? extraData.extra_pnginfo : {};
	const workflow = 'workflow' in ownInfo ? undefined : toEditorFile?.(graph);
	return workflow === undefined ? extraData : { ...extraData, extra_pnginfo: { ...ownInfo, workflow } };
}

/** Returns when an attempt was sent that got no answer (epoch milliseconds); undefined if there was none. */
export const unansweredSince = ({ earlier }: SubmitOptions): number | undefined =>
	earlier?.answerLost === true ? (earlier.firstSentAt ?? clock.wallNow()) : undefined;

/** The attempts of one submission. It decides how long the submission is repeated, by what its attempts have shown. */
export class SubmissionSeries {
	private readonly series: RetrySeries;
	private readonly startedAt = clock.now();
	private readonly budgetMs: number;
	/** Since when no attempt could leave, although the service is neither full nor busy. By `clock.now`. */
	private failingSince?: number;
	private readonly contact: ServerContact | undefined;
	/** Since when a job may exist, and the error that left it open. By `clock.now`. */
	private unconfirmed?: { since: number; error: unknown };

	constructor({ contact, closed }: Pick<HttpClient, 'contact' | 'closed'>, options: SubmitOptions) {
		const { retryBudgetMs = POLICIES.submit.budgetMs, signal } = options;
		this.contact = contact;
		this.budgetMs = retryBudgetMs;
		this.series = new RetrySeries({ policy: { ...POLICIES.submit, budgetMs: retryBudgetMs }, contact, signal, closed });
		const since = unansweredSince(options);
		if (since !== undefined) this.unconfirmed = { since: toClockTime(since), error: undefined };
	}

	/** The number of the next attempt; 1 for the first. */
	get attempt(): number {
		return this.series.attempt;
	}

	/** Whether a job may exist. */
	get isUnconfirmed(): boolean {
		return this.unconfirmed !== undefined;
	}

	/** The rest of the time for a service that is full or busy, in milliseconds. */
	get leftMs(): number {
		return this.budgetMs - (clock.now() - this.startedAt);
	}

	/** A request left the process, and no answer says what it did. */
	markUnconfirmed(error: unknown): void {
		const { since = clock.now() } = this.unconfirmed ?? {};
		this.unconfirmed = { since, error };
		this.contact?.noteWork();
	}

	/**
	 * Call this once for each failed attempt.
	 * @param facts.mayHelp whether another attempt may help.
	 * @param facts.isPostponed the service is full or busy. It answers, so only the user's own limit applies.
	 */
	decide(error: unknown, { mayHelp, isPostponed = false }: { mayHelp: boolean; isPostponed?: boolean }): RetryDecision {
		this.failingSince = isPostponed ? undefined : (this.failingSince ?? clock.now());
		const leftMs = isPostponed ? this.leftMs : (this.confirmLeftMs ?? this.failureLeftMs);
		return this.series.decide(error, { mayHelp, leftMs, isBudgetHard: !isPostponed && this.isUnconfirmed });
	}

	/** @see RetrySeries.pause */
	async pause(error: unknown, inMs: number): Promise<void> {
		await this.series.pause(error, inMs);
	}

	/** Returns the error that says most about the end: how the submission itself was answered, else the latest failure. */
	toFinalError(error: unknown): unknown {
		const reason = this.series.toFinalError(error);
		return this.unconfirmed?.error instanceof AnswerError ? this.unconfirmed.error : reason;
	}

	/** How long to search for the job that may exist; undefined if there is none. */
	private get confirmLeftMs(): number | undefined {
		if (this.unconfirmed === undefined) return undefined;
		const { since, error } = this.unconfirmed;
		const limits = this.contact ?? NO_CONTACT;
		return Math.min(this.budgetMs, confirmLimitMs(error, limits)) - (clock.now() - since);
	}

	/** How long to repeat a submission that could not leave. */
	private get failureLeftMs(): number {
		const { waitMs } = this.contact ?? NO_CONTACT;
		const { failingSince = clock.now() } = this;
		return Math.min(this.leftMs, Math.max(POLICIES.submit.budgetMs, waitMs) - (clock.now() - failingSince));
	}
}

const NO_CONTACT = { waitMs: 0, lostLimitMs: DEFAULT_LOST_AFTER_MS };

/** Converts epoch milliseconds to the clock that never goes back. A time in the future counts as now. */
const toClockTime = (moment: number): number => clock.now() - Math.max(0, clock.wallNow() - moment);
