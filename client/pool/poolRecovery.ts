import { clock } from '../async/clock';
import { isTransient } from '../contact/failures';
import { confirmLimitMs, POLICIES, POOL_LIMITS } from '../contact/policy';
import { RetrySeries } from '../contact/retry';
import { toPromptId } from '../engine/promptIds';
import { UnknownOutcomeError } from '../errors/errors';
import { logDecision } from '../log/observer';
import type { Job } from '../ports/job';
import type { NewJob, SubmitOptions } from '../ports/jobService';
import type { EarlierJob } from '../ports/server';
import { SubmissionSeries } from '../requests/submissionSeries';
import type { PoolFiles } from './poolFiles';
import type { FittingServers } from './fittingServers';
import { chooseRecovered } from './mergeAnswers';
import {
	askAll,
	listErrors,
	listUnanswered,
	listValues,
	noteOnContact,
	type PlacedJob,
	type PoolLimits,
	type PoolServer,
	toPoolError,
} from './poolServer';

export interface PoolRecoveryParts extends PoolLimits {
	servers: readonly PoolServer[];
	files: PoolFiles;
}

/** A moment on both clocks. Only `wallNow` can be compared with the times of a server, and the user can change it. */
export interface SentAt {
	now: number;
	wallNow: number;
}

/** Recovers the job that an attempt of a submission may have made on one of the servers. */
export class PoolRecovery {
	constructor(
		private readonly parts: PoolRecoveryParts,
		private readonly newJob: NewJob,
		private readonly options: SubmitOptions,
		private readonly fitting: FittingServers,
	) {}

	/** Whether another server may run the job if its server has lost it. */
	async canRunElsewhere(): Promise<boolean> {
		return this.options.placement?.whenLost === 'runElsewhere' && (await this.fitting.hasNoPartnerNodes());
	}

	/**
	 * Asks every server, because an earlier attempt may have sent the submission to any of them.
	 * @returns undefined if there is no such job, or another server may run it.
	 * @throws UnknownOutcomeError if the servers do not say.
	 */
	async findEarlier(): Promise<PlacedJob | undefined> {
		const { earlier, idempotencyKey, keyIsOurs, signal } = this.options;
		const { answerLost = false, lostRecord } = earlier ?? {};
		const mayBeInUse = idempotencyKey !== undefined && !keyIsOurs;
		if (!answerLost && lostRecord === undefined && !mayBeInUse) return undefined;
		const { contact, servers } = this.parts;
		const series = new SubmissionSeries(this.parts, this.options);
		logDecision({ kind: 'recovery_started', by: 'id' });
		for (;;) {
			const startedAt = clock.now();
			const answers = await askAll(servers, async ({ jobs }) => await jobs.findEarlier(this.comparable, this.options), { signal });
			const recovered = chooseRecovered(listValues(answers));
			if (recovered !== undefined) return this.reportRecovered(recovered);
			const ofOther = listErrors(answers).find(isOfOtherGraph);
			if (ofOther !== undefined) throw ofOther;
			const silent = listUnanswered(answers);
			if ((silent.length === 0 && !answerLost) || (await this.canRunElsewhere())) return undefined;
			const errors = listErrors(answers);
			const error = toPoolError(errors);
			noteOnContact(contact, error, startedAt);
			const decision = series.decide(error, { mayHelp: errors.every(isTransient) });
			const before = answerLost && lostRecord === undefined ? undefined : 'not_reported';
			if (decision.kind === 'giveUp') throw this.toUnknownOutcome(silent, error, before);
			await series.pause(error, decision.inMs);
		}
	}

	/**
	 * Looks for a job that this server may have accepted, until the time is over.
	 * @returns undefined if another server may run the job now.
	 * @throws UnknownOutcomeError with the server.
	 */
	async findUnconfirmed(server: PoolServer, sentAt: SentAt, cause: UnknownOutcomeError): Promise<Job | undefined> {
		const { signal, retryBudgetMs = POLICIES.submit.budgetMs } = this.options;
		const canRunElsewhere = await this.canRunElsewhere();
		const reason = cause.cause ?? cause;
		const limitMs = canRunElsewhere ? POOL_LIMITS.lostMs : Math.min(retryBudgetMs, confirmLimitMs(reason, this.parts.contact));
		const series = new RetrySeries({ policy: POLICIES.submit, signal, closed: this.parts.closed });
		const options = { ...this.options, earlier: { answerLost: true, firstSentAt: sentAt.wallNow } };
		for (;;) {
			const found = await server.ask(async ({ jobs }) => await jobs.findEarlier(this.comparable, options), { signal });
			if (found.ok && found.value !== undefined) return this.reportRecovered({ ...found.value, server }).job;
			const error = found.ok ? undefined : found.error;
			const decision = series.decide(error, { mayHelp: true, leftMs: limitMs - (clock.now() - sentAt.now) });
			if (decision.kind === 'retry') await series.pause(error, decision.inMs);
			else if (canRunElsewhere) return undefined;
			else throw this.toUnknownOutcome([server.address], reason);
		}
	}

	/** @param servers the addresses of those that may have the job. */
	toUnknownOutcome(servers: readonly string[], cause: unknown, before?: UnknownOutcomeError['before']): UnknownOutcomeError {
		const { idempotencyKey, submissionId } = this.options;
		const jobId = toPromptId(idempotencyKey ?? submissionId);
		return new UnknownOutcomeError(idempotencyKey, { jobId, before, servers, cause });
	}

	/** The job to compare others with. The names of its files differ between the servers. */
	private get comparable(): NewJob {
		const { newJob, options, parts } = this;
		return { ...newJob, graph: parts.files.withoutPlaces(options.placement?.comparable?.() ?? newJob.graph) };
	}

	private reportRecovered({ job, laterId, server }: EarlierJob & PlacedJob): PlacedJob {
		logDecision({ kind: 'job_recovered', by: 'id', jobId: job.job_id });
		this.options.onEvent?.({ type: 'recovered', laterId });
		return { job, server };
	}
}

/** Whether a server has a job of this submission that is not, or not certainly, the one that would be sent now. */
const isOfOtherGraph = (error: unknown): boolean =>
	error instanceof UnknownOutcomeError && (error.before === 'key_in_use' || error.before === 'not_shown');
