import { randomUUID } from 'node:crypto';

import { clock } from '../clock';
import { toPromptId } from '../engine/promptIds';
import { ConnectionError, StoppedError, UnknownOutcomeError } from '../errors';
import type { Job } from '../job';
import { logDecision } from '../observer';
import type { Submission, SubmitOptions } from '../ports';
import type { EarlierJob } from '../serverPorts';
import { delay, throwIfStopped } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { isTransient } from '../contact/failures';
import { POLICIES } from '../contact/policy';
import { pauseBetweenReads } from '../contact/retry';
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
	type PoolLimits,
	type PoolServer,
	repeatWhileSilent,
	toPoolError,
} from './poolServer';
import type { Place } from './serverLoad';
import { bestOf } from './mergeAnswers';

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

/** A server that does not respond for this time after a job was sent to it has lost the job. */
export const LOST_AFTER_MS = 10_000;

/** How long one server is tried before another one is. */
const ONE_SERVER_MS = 5_000;

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
		return await this.place();
	}

	async canRunElsewhere(): Promise<boolean> {
		return this.options.placement?.whenLost === 'runElsewhere' && (await this.fitting.hasNoPartnerNodes());
	}

	/** Asks every server, because an earlier attempt may have sent the submission to any of them. */
	private async findEarlier(): Promise<PlacedJob | undefined> {
		const { earlier, idempotencyKey, keyIsOurs, signal } = this.options;
		const { answerLost = false, firstSentAt = clock.wallNow(), lostRecord } = earlier ?? {};
		const mayBeInUse = idempotencyKey !== undefined && !keyIsOurs;
		if (!answerLost && lostRecord === undefined && !mayBeInUse) return undefined;
		const startedAt = clock.now();
		logDecision({ kind: 'recovery_started', by: 'id' });
		for (let reads = 1; ; reads++) {
			const answers = await askAll(this.parts.servers, async ({ jobs }) => await jobs.findEarlier(this.options), { signal });
			const recovered = chooseRecovered(listValues(answers));
			if (recovered !== undefined) return this.reportRecovered(recovered);
			const silent = listUnanswered(answers);
			if ((silent.length === 0 && !answerLost) || (await this.canRunElsewhere())) return undefined;
			const errors = listErrors(answers);
			const isLasting = errors.some((error) => !isTransient(error));
			const waitMs = silent.length === 0 ? this.budgetMs - (clock.wallNow() - firstSentAt) : this.silenceLimitMs(startedAt);
			const before = answerLost && lostRecord === undefined ? undefined : 'not_reported';
			if (isLasting || waitMs <= 0) throw this.toUnknownOutcome(silent, before, errors[0]);
			await delay(Math.min(pauseBetweenReads(POLICIES.submit, reads), waitMs), signal, this.parts.closed);
		}
	}

	private reportRecovered({ job, laterId, server }: EarlierJob & PlacedJob): PlacedJob {
		logDecision({ kind: 'job_recovered', by: 'id', jobId: job.job_id });
		this.options.onEvent?.({ type: 'recovered', laterId });
		return { job, server };
	}

	private silenceLimitMs(startedAt: number): number {
		return Math.max(this.parts.contact.waitMs, this.budgetMs) - (clock.now() - startedAt);
	}

	/** Repeats while no server responds. */
	private async place(): Promise<PlacedJob> {
		const { budgetMs, options } = this;
		return await repeatWhileSilent(this.parts, async () => await this.placeOnce(), { budgetMs, signal: options.signal });
	}

	/** Tries the servers one after another until one accepts the job. */
	private async placeOnce(): Promise<PlacedJob> {
		const failures = new Map<PoolServer, unknown>();
		for (;;) {
			throwIfStopped(this.options.signal);
			const fitting = await this.fitting.find(failures, this.lost);
			if (fitting.length === 0) throw toPoolError([...failures.values()]);
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
			if (isRejection(sent.error)) await this.fitting.skipSimilar(place.server, sent.error, failures);
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
		if (sent.ok || !isErrorOfOtherServer(sent.error, server)) server.noteOutcome(sent);
		if (sent.ok) return this.accept(place, sent.value);
		const { error } = sent;
		if (error instanceof UnknownOutcomeError) return await this.recoverOrGiveUp(place, sentAt, error);
		this.parts.placements.release(place);
		if (!isTransient(error) && !isRejection(error)) throw error;
		return new NotAccepted(error);
	}

	private accept(place: Place, job: Job): PlacedJob {
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
			{ ...this.options, placement: undefined, earlier: undefined, keyIsOurs: true, retryBudgetMs: Math.min(this.budgetMs, ONE_SERVER_MS) },
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
		const limitMs = canRunElsewhere ? LOST_AFTER_MS : this.budgetMs;
		const options = { ...this.options, earlier: { answerLost: true, firstSentAt: sentAt.wallNow } };
		for (let reads = 1; ; reads++) {
			const found = await server.ask(async ({ jobs }) => await jobs.findEarlier(options), { signal });
			if (found.ok && found.value !== undefined) return this.reportRecovered({ ...found.value, server }).job;
			const remainingMs = limitMs - (clock.now() - sentAt.now);
			if (remainingMs <= 0 && canRunElsewhere) return undefined;
			if (remainingMs <= 0) throw this.toUnknownOutcome([server.address], undefined, cause.cause ?? cause);
			await delay(Math.min(pauseBetweenReads(POLICIES.submit, reads), remainingMs), signal, this.parts.closed);
		}
	}

	private toUnknownOutcome(servers: readonly string[], before: UnknownOutcomeError['before'], cause: unknown): UnknownOutcomeError {
		const { idempotencyKey, submissionId } = this.options;
		const jobId = toPromptId(idempotencyKey ?? submissionId);
		return new UnknownOutcomeError(idempotencyKey, { jobId, before, servers, cause });
	}
}

/** Returns the best of the jobs that earlier attempts made; undefined if no server has one. */
export const chooseRecovered = (
	values: ReadonlyArray<{ server: PoolServer; value: EarlierJob | undefined }>,
): (EarlierJob & PlacedJob) | undefined =>
	bestOf(values.flatMap(({ server, value }) => (value === undefined ? [] : [{ server, ...value }])));

/** Whether a file could not be copied, because the server that has it does not respond. */
const isErrorOfOtherServer = (error: unknown, { address }: PoolServer): boolean =>
	error instanceof ConnectionError && new URL(address).origin !== error.origin;
