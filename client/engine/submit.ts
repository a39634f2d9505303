import { clock } from '../async/clock';
import { minimalJob } from '../comfyui/jobRecords';
import { type AcceptedPrompt, decodePromptAnswer, type RejectedPrompt, toRejectionError, toSubmitError } from '../comfyui/rejections';
import { hasNoEffect, isTransient, mayHaveMadeJob } from '../contact/failures';
import { StoppedError, UnknownOutcomeError } from '../errors/errors';
import type { Job } from '../ports/job';
import { logDecision, withAttempt } from '../log/observer';
import type { EarlierJob } from '../ports/server';
import type { LostRecord, NewJob, SubmitOptions } from '../ports/jobService';
import type { JobRecovery } from '../recovery/jobRecovery';
import { toSearchRequest } from '../recovery/searchRequest';
import { SubmissionSeries, toSubmissionBody, unansweredSince } from '../requests/submissionSeries';
import { STOP_LIMIT_MS, withGrace } from '../async/grace';
import { outcomeOf } from '../async/outcome';
import type { EngineApi } from './api';
import type { ClientId } from './clientId';
import type { EarlierPrompts } from './earlierPrompts';
import { toPromptId, withPromptId } from './promptIds';
import type { EngineReader } from './reader';

export interface SubmitParts {
	api: EngineApi;
	reader: EngineReader;
	earlier: EarlierPrompts;
	recovery: JobRecovery;
	/** The client whose socket receives the events of the job. */
	clientId: ClientId;
	/** Cancels a job that was accepted with errors. */
	withdraw(jobId: string): Promise<unknown>;
}

/**
 * Submits once, under an id that we choose. An engine accepts the same id twice, and a proxy may deliver a request long
 * after the proxy gave up. So if no answer comes after bytes have left, the prompt is never sent again. The job is searched
 * in the engine's queue and history until the budget is over. The prompt is sent only right after the engine has answered
 * another request. So an engine that is still starting causes no unconfirmed submission.
 * @throws ApiError if the engine rejects it; UnknownOutcomeError if a job may exist but was not found.
 */
export async function submitPrompt(parts: SubmitParts, newJob: NewJob, options: SubmitOptions): Promise<Job> {
	return await new PromptSubmission(parts, newJob, options).run();
}

type AttemptResult = { job: Job } | { error: unknown; mayHelp: boolean };

/**
 * Looks for the job that an earlier attempt of a submission may have made, under its id or one of the later ones. If another
 * graph ran under its ids, the job is searched for among the other jobs.
 * @param jobId the id that the submission requests.
 * @param unconfirmedSince when an attempt without an answer was sent (epoch milliseconds); undefined if there was none.
 * @returns undefined if there is no such job.
 * @throws UnknownOutcomeError if a process that has crashed may have sent the submission, and the engine does not say.
 */
export async function findEarlierPrompt(
	parts: EarlierParts,
	jobId: string,
	newJob: NewJob,
	options: SubmitOptions,
	unconfirmedSince: number | undefined,
): Promise<EarlierJob | undefined> {
	const { idempotencyKey, keyIsOurs, earlier, signal } = options;
	const lostRecord = earlier?.lostRecord;
	// An earlier execution may have used a key that the user entered.
	const mayBeInUse = idempotencyKey !== undefined && !keyIsOurs;
	if (unconfirmedSince !== undefined || mayBeInUse) {
		const job = await parts.reader.findSubmitted(jobId, unconfirmedSince ?? lostRecord?.since, { signal });
		if (job !== undefined) return { job };
		if (unconfirmedSince !== undefined) return undefined;
	}
	return lostRecord === undefined ? undefined : await findLostPrompt(parts, jobId, newJob, { ...options, lostRecord });
}

type EarlierParts = Pick<SubmitParts, 'reader' | 'earlier' | 'recovery'>;

async function findLostPrompt(
	{ earlier, recovery }: EarlierParts,
	jobId: string,
	newJob: NewJob,
	{ lostRecord, ...options }: SubmitOptions & { lostRecord: LostRecord },
): Promise<EarlierJob | undefined> {
	const { signal } = options;
	const { since, laterIds = [] } = lostRecord;
	const candidates = [{ id: jobId, laterId: undefined }, ...laterIds.map((laterId) => ({ id: toPromptId(laterId), laterId }))];
	const { found, isSure } = await earlier.find(
		candidates.map(({ id }) => id),
		since,
		{ signal },
	);
	const own: EarlierJob[] = [];
	let isUnclear = false;
	for (const { id, laterId } of candidates) {
		const job = found.get(id);
		if (job === undefined) continue;
		const ownership = await recovery.judge(job, newJob.graph, { signal });
		if (ownership === 'own') own.push({ job, laterId });
		isUnclear ||= ownership === 'unclear';
	}
	// Each job was replaced by the next one.
	const last = own.at(-1);
	if (last !== undefined) return last;
	if (found.size === 0 && isSure) return undefined;
	const unconfirmed = (before: UnknownOutcomeError['before']) => new UnknownOutcomeError(options.idempotencyKey, { jobId, before });
	if (found.size === 0) throw unconfirmed('not_reported');
	if (isUnclear) throw unconfirmed('not_shown');
	const job = await recovery.recoverEarlier(toSearchRequest(newJob, options, since));
	if (job === undefined) throw unconfirmed('key_in_use');
	return { job };
}

class PromptSubmission {
	/** The job gets a known id even without a key, so that it can be found. */
	private readonly jobId: string;
	private readonly body: ReturnType<typeof toSubmissionBody>;
	private readonly series: SubmissionSeries;
	/** When a request was sent that got no answer, in epoch milliseconds. */
	private unconfirmedSince?: number;

	constructor(
		private readonly parts: SubmitParts,
		private readonly newJob: NewJob,
		private readonly options: SubmitOptions,
	) {
		const { idempotencyKey, submissionId, atFront = false } = options;
		this.jobId = toPromptId(idempotencyKey ?? submissionId);
		this.body = toSubmissionBody('prompt', withPromptId(this.jobId, newJob), {
			prompt_id: this.jobId,
			client_id: parts.clientId.current,
			...(atFront && { front: true }),
		});
		this.series = new SubmissionSeries(parts.api.http, options);
		this.unconfirmedSince = unansweredSince(options);
	}

	async run(): Promise<Job> {
		const { series } = this;
		for (;;) {
			const result = await withAttempt(series.attempt, async () => await this.attempt());
			if ('job' in result) return result.job;
			const { error, mayHelp } = result;
			if (error instanceof StoppedError) throw error;
			const decision = series.decide(error, { mayHelp });
			if (decision.kind === 'giveUp') throw this.toFinalError(series.toFinalError(error));
			await series.pause(error, decision.inMs);
		}
	}

	/** Looks for the job of an earlier attempt, and sends the prompt only if no attempt is unconfirmed. */
	private async attempt(): Promise<AttemptResult> {
		const search = await outcomeOf(this.findEarlierJob());
		if (!search.ok) return { error: search.error, mayHelp: isTransient(search.error) };
		if (search.value !== undefined) {
			const { job, laterId } = search.value;
			logDecision({ kind: 'job_recovered', by: 'id', jobId: job.job_id });
			this.options.onEvent?.({ type: 'recovered', laterId });
			return { job };
		}
		return this.series.isUnconfirmed ? { error: undefined, mayHelp: true } : await this.sendOnce();
	}

	private async sendOnce(): Promise<AttemptResult> {
		const sent = await outcomeOf(this.send());
		if (sent.ok) return { job: sent.value };
		const { error } = sent;
		if (hasNoEffect(error)) this.options.onEvent?.({ type: 'nothingMade' });
		const isUnconfirmed = error instanceof UnknownOutcomeError || mayHaveMadeJob(error);
		if (!isUnconfirmed) return { error, mayHelp: isTransient(error) };
		this.series.markUnconfirmed(error);
		this.options.onEvent?.({ type: 'answerLost' });
		this.unconfirmedSince = clock.wallNow();
		logDecision({ kind: 'recovery_started', by: 'id', error });
		return await this.attempt();
	}

	/**
	 * Looks for the job of an earlier attempt. If there was none, it checks that the engine answers.
	 * @throws UnknownOutcomeError if the submission may have been sent and the engine does not say.
	 */
	private async findEarlierJob(): Promise<EarlierJob | undefined> {
		const found = await findEarlierPrompt(this.parts, this.jobId, this.newJob, this.options, this.unconfirmedSince);
		if (found === undefined && !this.series.isUnconfirmed) await this.parts.api.requireAwake(this.options);
		return found;
	}

	private async send(): Promise<Job> {
		const { api, reader } = this.parts;
		const { idempotencyKey, signal, onEvent } = this.options;
		const answer = await withGrace(signal, STOP_LIMIT_MS, async (later) => {
			onEvent?.({ type: 'sending' });
			return await api.call({ method: 'POST', url: api.url('/prompt'), ...this.body, signal: later }, decodePromptAnswer);
		});
		if (answer === undefined) throw new UnknownOutcomeError(idempotencyKey, { jobId: this.jobId });
		if ('rejection' in answer) return await rejectPrompt(answer, this.parts);
		reader.usesRequestedIds = answer.jobId === this.jobId;
		return toAcceptedJob(answer);
	}

	private toFinalError(error: unknown): unknown {
		if (!this.series.isUnconfirmed) return toSubmitError('engine', error);
		return new UnknownOutcomeError(this.options.idempotencyKey, { jobId: this.jobId, cause: error });
	}
}

const toAcceptedJob = ({ jobId, otherFields }: AcceptedPrompt): Job => ({
	...otherFields,
	...minimalJob(jobId, 'engine', 'queued', 'pending'),
});

/**
 * The engine may have accepted a part of the graph. The job is withdrawn, because the submission is rejected as a
 * whole.
 */
async function rejectPrompt(answer: RejectedPrompt, { withdraw }: SubmitParts): Promise<never> {
	if (answer.jobId !== undefined) await outcomeOf(withdraw(answer.jobId));
	throw toRejectionError('engine', answer);
}
