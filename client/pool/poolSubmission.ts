import { randomUUID } from 'node:crypto';

import { throwIfStopped } from '../async/stoppableWait';
import { outcomeOf } from '../async/outcome';
import { clock } from '../async/clock';
import { isRefusal, isTransient } from '../contact/failures';
import { POLICIES, POOL_LIMITS } from '../contact/policy';
import { unknownJobError } from '../engine/service';
import { StoppedError, UnknownOutcomeError } from '../errors/errors';
import { logDecision } from '../log/observer';
import type { Job } from '../ports/job';
import type { NewJob, SubmitOptions } from '../ports/jobService';
import type { JobToPlace } from './chooseServer';
import { listModels } from './findMisfits';
import { FittingServers, isWorkflowRejection } from './fittingServers';
import type { Placements } from './placements';
import { PoolRecovery, type PoolRecoveryParts, type SentAt } from './poolRecovery';
import { type PlacedJob, type PoolServer, repeatWhileSilent, toPoolError, withRefusals } from './poolServer';
import type { Place } from './serverLoad';

export interface PoolParts extends PoolRecoveryParts {
	placements: Placements;
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
	private readonly recovery: PoolRecovery;
	private moving?: Promise<PlacedJob>;

	constructor(
		private readonly parts: PoolParts,
		private readonly newJob: NewJob,
		options: SubmitOptions,
	) {
		// Each attempt asks for the same id, also if the caller gives no key. Otherwise the job could not be found again.
		this.options = { ...options, submissionId: options.submissionId ?? options.idempotencyKey ?? randomUUID() };
		this.budgetMs = options.retryBudgetMs ?? POLICIES.submit.budgetMs;
		this.fitting = new FittingServers(parts.servers, newJob.graph, {
			hasFilesToPlace: options.placement?.placeFiles !== undefined,
			signal: options.signal,
		});
		this.recovery = new PoolRecovery(parts, newJob, this.options, this.fitting);
	}

	/**
	 * Finds the job of an earlier attempt on any of the servers, or submits the job to one.
	 * @throws as `JobService.submit`; NoFittingServerError; NoServerError.
	 */
	async run(): Promise<PlacedJob> {
		const found = await this.recovery.findEarlier();
		if (found !== undefined) return found;
		const placed = await outcomeOf(this.place());
		if (placed.ok) return placed.value;
		throw this.lost.size === 0 || placed.error instanceof StoppedError ? placed.error : this.withLostServers(placed.error);
	}

	/** A server that was lost may have the job, even if another one has rejected it since. */
	private withLostServers(error: unknown): UnknownOutcomeError {
		const unconfirmed = error instanceof UnknownOutcomeError ? (error.servers ?? []) : [];
		const lost = [...this.lost].map(({ address }) => address);
		return this.recovery.toUnknownOutcome([...new Set([...lost, ...unconfirmed])], error);
	}

	/** Submits the job to another server than the one that has lost it. Concurrent callers share the new job. */
	async runElsewhere(lost: PoolServer, jobId: string): Promise<PlacedJob> {
		return await (this.moving ??= this.moveFrom(lost, jobId).finally(() => (this.moving = undefined)));
	}

	private async moveFrom(lost: PoolServer, jobId: string): Promise<PlacedJob> {
		if (!(await this.recovery.canRunElsewhere())) throw unknownJobError();
		logDecision({ kind: 'server_lost', server: lost.address, jobId });
		this.lost.clear();
		this.lost.add(lost);
		this.failures.clear();
		return await this.place();
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
		const { atFront, placement } = this.options;
		return { isAwaited: false, jobsToCome: 0, ...placement, models: listModels(this.newJob.graph), atFront };
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
		if (isRefused && !isWorkflowRejection(error)) server.noteSubmission(error);
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
		const found = await outcomeOf(this.recovery.findUnconfirmed(server, sentAt, error));
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
		const graph = (await placement?.placeFiles?.(server.address)) ?? this.newJob.graph;
		const local = await this.parts.files.localize(graph, server, { signal });
		return await jobs.submit(
			{ ...this.newJob, graph: local },
			{
				...this.options,
				placement: undefined,
				earlier: undefined,
				keyIsOurs: true,
				retryBudgetMs: Math.min(this.budgetMs, POOL_LIMITS.submitMs),
			},
		);
	}
}

/** Returns the error of a job that no server took. A server that does not respond now may accept the job later. */
function toPlacementError(errors: readonly unknown[]): unknown {
	const silent = errors.filter(isTransient);
	return errors.find(isWorkflowRejection) ?? toPoolError(silent.length > 0 ? silent : errors);
}
