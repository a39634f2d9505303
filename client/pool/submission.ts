import { randomUUID } from 'node:crypto';

import { clock } from '../async/clock';
import { toPromptId } from '../engine/promptIds';
import { StoppedError, UnknownOutcomeError } from '../errors/errors';
import type { Job } from '../ports/job';
import { logDecision } from '../log/observer';
import type { Submission, SubmitOptions } from '../ports/jobService';
import type { EarlierJob } from '../ports/server';
import { SubmissionSeries } from '../requests/submissionSeries';
import { throwIfStopped } from '../async/delay';
import { outcomeOf } from '../async/outcome';
import { isRefusal, isTransient } from '../contact/failures';
import { confirmLimitMs, POLICIES, POOL_LIMITS } from '../contact/policy';
import { RetrySeries } from '../contact/retry';
import type { JobToPlace } from './chooseServer';
import type { PoolFiles } from './files';
import { listModels } from './findMisfits';
import { FittingServers, isRejection } from './fittingServers';
import type { Placements } from './placements';
import {
	askAll,
	listErrors,
	listUnanswered,
	listValues,
	noteOnContact,
	type PoolLimits,
	type PoolServer,
	repeatWhileSilent,
	toPoolError,
	withRefusals,
} from './poolServer';
import type { Place } from './serverLoad';
import { chooseRecovered } from './mergeAnswers';

export interface PoolParts extends PoolLimits {
	servers: readonly PoolServer[];
	placements: Placements;
	files: PoolFiles;
}

/** A job and the server that has it. */
export interface PlacedJob {
	job: Job;
	server: PoolServer;
}

/** A moment on both clocks. Only `wallNow` can be compared with the times of a server, and the user can change it. */
interface SentAt {
	now: number;
	wallNow: number;
}

/** Why the chosen server did not accept the job. Another server may accept it. */
class NotAccepted {
	constructor(readonly error: unknown) {}
}

/**
 * One submission to a pool. It is sent to one server only. If the request may have arrived there and got no answer, the job is
 * unconfirmed. Another server then gets it only with `runElsewhere`, and only if the graph has no partner nodes.
 */
export class PoolSubmission {
	private readonly budgetMs: number;
	/** Servers that may have the job, and no longer respond. */
	private readonly lost = new Set<PoolServer>();
	/** Why servers did not take the job. Those that refused it are not tried again. */
	private readonly failures = new Map<PoolServer, unknown>();
	private readonly options: SubmitOptions;
	private readonly fitting: FittingServers;

	constructor(
		private readonly parts: PoolParts,
		private readonly submission: Submission,
		options: SubmitOptions,
	) {
		// Each attempt asks for the same id, also if the caller gives no key. Otherwise the job could not be found again.
		this.options = { ...options, submissionId: options.submissionId ?? options.idempotencyKey ?? randomUUID() };
		this.budgetMs = options.retryBudgetMs ?? POLICIES.submit.budgetMs;
		this.fitting = new FittingServers(parts.servers, submission.graph, {
			hasFilesToPlace: options.placement?.placeFiles !== undefined,
			signal: options.signal,
		});
	}

	/**
	 * Finds the job of an earlier attempt on any of the servers, or submits the job to one.
	 * @throws as `JobService.submit`; NoFittingServerError; NoServerError.
	 */
	async run(): Promise<PlacedJob> {
		const found = await this.findEarlier();
		if (found !== undefined) return found;
		const placed = await outcomeOf(this.place());
		if (placed.ok) return placed.value;
		throw this.lost.size === 0 || placed.error instanceof StoppedError ? placed.error : this.withLostServers(placed.error);
	}

	/** A server that was lost may have the job, even if another one has rejected it since. */
	private withLostServers(error: unknown): UnknownOutcomeError {
		const unconfirmed = error instanceof UnknownOutcomeError ? (error.servers ?? []) : [];
		const lost = [...this.lost].map(({ address }) => address);
		return this.toUnknownOutcome([...new Set([...lost, ...unconfirmed])], undefined, error);
	}

	/** Submits the job to another server than the one that has lost it. */
	async runElsewhere(lost: PoolServer): Promise<PlacedJob> {
		this.lost.clear();
		this.lost.add(lost);
		this.failures.clear();
		return await this.place();
	}

	async canRunElsewhere(): Promise<boolean> {
		return this.options.placement?.whenLost === 'runElsewhere' && (await this.fitting.hasNoPartnerNodes());
	}

	/** The submission to compare jobs with. The names of its files differ between the servers. */
	private get comparable(): Submission {
		const { submission, options, parts } = this;
		return { ...submission, graph: parts.files.withoutPlaces(options.placement?.comparable?.() ?? submission.graph) };
	}

	/** Asks every server, because an earlier attempt may have sent the submission to any of them. */
	private async findEarlier(): Promise<PlacedJob | undefined> {
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
			if (decision.kind === 'giveUp') throw this.toUnknownOutcome(silent, before, error);
			await series.pause(error, decision.inMs);
		}
	}

	private reportRecovered({ job, laterId, server }: EarlierJob & PlacedJob): PlacedJob {
		logDecision({ kind: 'job_recovered', by: 'id', jobId: job.job_id });
		this.options.onEvent?.({ type: 'recovered', laterId });
		return { job, server };
	}

	/** Repeats while no server responds. */
	private async place(): Promise<PlacedJob> {
		const { budgetMs, options } = this;
		const attempt = async (): Promise<PlacedJob> => {
			const placed = await outcomeOf(this.placeOnce());
			if (!placed.ok) throw withRefusals(placed.error, [...this.failures.values()]);
			this.leaveOutRefusing();
			return placed.value;
		};
		return await repeatWhileSilent(this.parts, attempt, { budgetMs, signal: options.signal });
	}

	/** A server has accepted the job, so the job is not the reason why others refused it. */
	private leaveOutRefusing(): void {
		for (const [server, error] of this.failures) if (isRefusal(error)) server.noteSubmission(error);
		for (const { address, refusal } of this.parts.servers) {
			if (refusal !== undefined) this.options.placement?.onLeftOut?.(address, refusal);
		}
	}

	/** Tries the servers one after another until one accepts the job. */
	private async placeOnce(): Promise<PlacedJob> {
		const { failures } = this;
		for (const [server, error] of failures) if (!isRefusal(error)) failures.delete(server);
		for (;;) {
			throwIfStopped(this.options.signal);
			const fitting = await this.fitting.find(failures, this.lost);
			if (fitting.length === 0) throw toPlacementError([...failures.values()]);
			const reserved = await this.parts.placements.reserve(fitting, this.toJobToPlace(), this.options);
			if ('failures' in reserved) {
				for (const [server, error] of reserved.failures) failures.set(server, error);
				continue;
			}
			const { place } = reserved;
			const sent = await this.sendTo(place);
			if (!(sent instanceof NotAccepted)) return sent;
			logDecision({ kind: 'server_skipped', server: place.server.address, error: sent.error });
			failures.set(place.server, sent.error);
		}
	}

	private toJobToPlace(): JobToPlace {
		const { isAwaited = false, jobsToCome = 0 } = this.options.placement ?? {};
		return { models: listModels(this.submission.graph), isAwaited, jobsToCome };
	}

	private async sendTo(place: Place): Promise<PlacedJob | NotAccepted> {
		const { server, jobsAhead } = place;
		logDecision({ kind: 'server_chosen', server: server.address, jobsAhead });
		const sentAt = { now: clock.now(), wallNow: clock.wallNow() };
		const sent = await outcomeOf(this.submitTo(server));
		const isOwn = sent.ok || !server.isErrorOfOther(sent.error);
		if (isOwn) server.noteOutcome(sent);
		if (sent.ok) return this.accept(place, sent.value);
		const { error } = sent;
		if (error instanceof UnknownOutcomeError) return await this.recoverOrGiveUp(place, sentAt, error);
		const isRefused = isOwn && isRefusal(error);
		// The jobs that wait for a place must not get this one. A rejected workflow may be at fault itself.
		if (isRefused && !isRejection(error)) server.noteSubmission(error);
		this.parts.placements.release(place);
		if (!isTransient(error) && !isRefused) throw error;
		return new NotAccepted(error);
	}

	private accept(place: Place, job: Job): PlacedJob {
		place.server.noteSubmission();
		this.parts.placements.accept(place, job.job_id);
		return { server: place.server, job };
	}

	/**
	 * Recovers the job that the server may have accepted. If that fails, the server has lost the job, and another one may run it.
	 * @throws UnknownOutcomeError if no other server may run it.
	 */
	private async recoverOrGiveUp(place: Place, sentAt: SentAt, error: UnknownOutcomeError): Promise<PlacedJob | NotAccepted> {
		const { server } = place;
		const found = await outcomeOf(this.findUnconfirmed(server, sentAt, error));
		if (found.ok && found.value !== undefined) return this.accept(place, found.value);
		this.parts.placements.release(place);
		if (!found.ok) throw found.error;
		this.lost.add(server);
		this.options.onEvent?.({ type: 'answerLost' });
		logDecision({ kind: 'server_lost', server: server.address, jobId: error.jobId ?? '' });
		return new NotAccepted(error.cause ?? error);
	}

	private async submitTo(server: PoolServer): Promise<Job> {
		const { jobs } = await server.open(this.options);
		const { placement, signal } = this.options;
		const graph = (await placement?.placeFiles?.(server.address)) ?? this.submission.graph;
		const local = await this.parts.files.localize(graph, server, { signal });
		return await jobs.submit(
			{ ...this.submission, graph: local },
			{
				...this.options,
				placement: undefined,
				earlier: undefined,
				keyIsOurs: true,
				retryBudgetMs: Math.min(this.budgetMs, POOL_LIMITS.submitMs),
			},
		);
	}

	/**
	 * Looks for a job that the server may have accepted, until the time is over.
	 * @returns undefined if another server may run the job now.
	 * @throws UnknownOutcomeError with the server.
	 */
	private async findUnconfirmed(server: PoolServer, sentAt: SentAt, cause: UnknownOutcomeError): Promise<Job | undefined> {
		const { signal } = this.options;
		const canRunElsewhere = await this.canRunElsewhere();
		const reason = cause.cause ?? cause;
		const limitMs = canRunElsewhere ? POOL_LIMITS.lostMs : Math.min(this.budgetMs, confirmLimitMs(reason, this.parts.contact));
		const series = new RetrySeries({ policy: POLICIES.submit, signal, closed: this.parts.closed });
		const options = { ...this.options, earlier: { answerLost: true, firstSentAt: sentAt.wallNow } };
		for (;;) {
			const found = await server.ask(async ({ jobs }) => await jobs.findEarlier(this.comparable, options), { signal });
			if (found.ok && found.value !== undefined) return this.reportRecovered({ ...found.value, server }).job;
			const error = found.ok ? undefined : found.error;
			const decision = series.decide(error, { mayHelp: true, leftMs: limitMs - (clock.now() - sentAt.now) });
			if (decision.kind === 'retry') await series.pause(error, decision.inMs);
			else if (canRunElsewhere) return undefined;
			else throw this.toUnknownOutcome([server.address], undefined, reason);
		}
	}

	private toUnknownOutcome(servers: readonly string[], before: UnknownOutcomeError['before'], cause: unknown): UnknownOutcomeError {
		const { idempotencyKey, submissionId } = this.options;
		const jobId = toPromptId(idempotencyKey ?? submissionId);
		return new UnknownOutcomeError(idempotencyKey, { jobId, before, servers, cause });
	}
}

/** Whether a server has a job of this submission that is not, or not certainly, the one that would be sent now. */
const isOfOtherGraph = (error: unknown): boolean =>
	error instanceof UnknownOutcomeError && (error.before === 'key_in_use' || error.before === 'not_shown');

/** Returns the error of a job that no server took. A server that does not respond now may accept the job later. */
function toPlacementError(errors: readonly unknown[]): unknown {
	const silent = errors.filter(isTransient);
	return errors.find(isRejection) ?? toPoolError(silent.length > 0 ? silent : errors);
}
