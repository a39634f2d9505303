import { clock } from '../clock';
import { ApiError, NoFittingServerError, UnknownOutcomeError } from '../errors';
import type { Definitions } from '../graph/inputs/definitions';
import type { Job } from '../job';
import { logDecision } from '../observer';
import type { Submission, SubmitOptions } from '../ports';
import type { FoundJob } from '../serverPorts';
import { SUBMIT_BUDGET_MS } from '../submission';
import { delay, throwIfStopped } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { isTransient, ownPauseMs, retry } from '../transport/retry';
import type { ServerContact } from '../transport/serverContact';
import type { PoolFiles } from './files';
import { findMisfits, hasPartnerNodes, haveSameDefinitions, listClassNames, listModels } from './findMisfits';
import { bestOf } from './foundJobs';
import type { Place, Placements } from './placements';
import { askAll, listUnanswered, type PoolServer, toPoolError } from './poolServer';

export interface PoolParts {
	servers: readonly PoolServer[];
	placements: Placements;
	files: PoolFiles;
	/** How long requests are repeated while no server responds. */
	contact: ServerContact;
}

/** A job and the server that has it. */
export interface PlacedJob {
	job: Job;
	server: PoolServer;
}

/** A server that does not respond for this time after a job was sent to it has lost the job. */
export const LOST_AFTER_MS = 10_000;

/** How long one server is tried before another one is. */
const ONE_SERVER_MS = 5_000;

/** Whether one server was chosen and did not take the job. Another one may. */
class NotTaken {
	constructor(readonly error: unknown) {}
}

/**
 * One submission to a pool. It is sent to one server only. If the request to this server may have arrived and got no answer,
 * another server gets the job only if the user allowed that (`runElsewhere`) and the graph has no partner nodes.
 */
export class PoolSubmission {
	private readonly budgetMs: number;
	/** Servers that may have the job, and no longer respond. */
	private readonly lost = new Set<PoolServer>();

	constructor(
		private readonly parts: PoolParts,
		private readonly submission: Submission,
		private readonly options: SubmitOptions,
	) {
		this.budgetMs = options.retryBudgetMs ?? SUBMIT_BUDGET_MS;
	}

	/**
	 * Finds the job of an earlier attempt on any of the servers, or submits the job to one.
	 * @throws as `JobService.submit`; NoFittingServerError; NoServerError.
	 */
	async run(): Promise<PlacedJob> {
		return (await this.findEarlier()) ?? (await this.place());
	}

	/** Submits the job to another server than the one that has lost it. */
	async runElsewhere(lost: PoolServer): Promise<PlacedJob> {
		this.lost.add(lost);
		return await this.place();
	}

	async canRunElsewhere(): Promise<boolean> {
		if (this.options.placement?.whenLost !== 'runElsewhere') return false;
		const { graph } = this.submission;
		const known = (await this.readDefinitions(this.parts.servers)).flatMap(({ definitions }) =>
			definitions === undefined ? [] : [definitions],
		);
		return known.length > 0 && known.every((definitions) => !hasPartnerNodes(graph, definitions));
	}

	/** Asks every server, because an earlier attempt may have sent the submission to any of them. */
	private async findEarlier(): Promise<PlacedJob | undefined> {
		const { earlier, idempotencyKey, keyIsOurs, signal } = this.options;
		const { answerLost = false, firstSentAt = clock.wallNow(), lostRecord } = earlier ?? {};
		const mayBeInUse = idempotencyKey !== undefined && !keyIsOurs;
		if (!answerLost && lostRecord === undefined && !mayBeInUse) return undefined;
		const startedAt = clock.now();
		logDecision({ kind: 'looks_for_job', by: 'id' });
		for (let reads = 1; ; reads++) {
			const answers = await askAll(this.parts.servers, async ({ jobs }) => await jobs.findEarlier(this.options), { signal });
			const found = bestOf(answers.flatMap(({ server, outcome }) => (outcome.ok && outcome.value ? [{ server, ...outcome.value }] : [])));
			if (found !== undefined) return this.recovered(found);
			const silent = listUnanswered(answers);
			if ((silent.length === 0 && !answerLost) || (await this.canRunElsewhere())) return undefined;
			const errors = answers.flatMap(({ outcome }) => (outcome.ok ? [] : [outcome.error]));
			const isLasting = errors.some((error) => !isTransient(error));
			const waitMs = silent.length === 0 ? this.budgetMs - (clock.wallNow() - firstSentAt) : this.silenceLimitMs(startedAt);
			if (isLasting || waitMs <= 0) throw this.toUnknownOutcome(silent, lostRecord === undefined ? undefined : 'untold', errors[0]);
			await delay(Math.min(ownPauseMs(reads), waitMs), signal);
		}
	}

	private recovered({ job, laterId, server }: FoundJob & PlacedJob): PlacedJob {
		logDecision({ kind: 'found_again', by: 'id', jobId: job.job_id });
		this.options.onEvent?.({ type: 'recovered', laterId });
		return { job, server };
	}

	private silenceLimitMs(startedAt: number): number {
		return Math.max(this.parts.contact.waitMs, this.budgetMs) - (clock.now() - startedAt);
	}

	/** Repeats while no server responds. */
	private async place(): Promise<PlacedJob> {
		const { contact } = this.parts;
		const attempt = async (): Promise<PlacedJob> => {
			const startedAt = clock.now();
			const placed = await outcomeOf(this.placeOnce());
			if (!placed.ok) {
				contact.noteFailure(placed.error, startedAt);
				throw placed.error;
			}
			contact.noteAnswer(200);
			return placed.value;
		};
		return await retry(attempt, { budgetMs: this.budgetMs, contact, signal: this.options.signal });
	}

	/** Tries the servers one after another until one has taken the job. */
	private async placeOnce(): Promise<PlacedJob> {
		const failures = new Map<PoolServer, unknown>();
		for (;;) {
			throwIfStopped(this.options.signal);
			const fitting = await this.findFitting(failures);
			if (fitting.length === 0) throw toPoolError([...failures.values()]);
			const place = await this.parts.placements.reserve(fitting, this.toJob(), this.options);
			if (place instanceof Map) {
				for (const [server, error] of place) failures.set(server, error);
				continue;
			}
			const taken = await this.sendTo(place);
			if (!(taken instanceof NotTaken)) return taken;
			logDecision({ kind: 'server_skipped', server: place.server.address, error: taken.error });
			failures.set(place.server, taken.error);
			if (isRejection(taken.error)) await this.skipSimilar(place.server, taken.error, failures);
		}
	}

	private toJob() {
		const { isAwaited = false, jobsToCome = 0 } = this.options.placement ?? {};
		return { models: listModels(this.submission.graph), isAwaited, jobsToCome };
	}

	/**
	 * Returns the servers that respond and have everything that the graph uses. Adds the others that do not respond to `failures`.
	 * @throws NoFittingServerError if servers respond, and none of them fits.
	 */
	private async findFitting(failures: Map<PoolServer, unknown>): Promise<PoolServer[]> {
		const { graph } = this.submission;
		const open = this.parts.servers.filter((server) => !failures.has(server) && !this.lost.has(server));
		const read = await this.readDefinitions(open);
		const defined = read.flatMap(({ server, definitions }) => (definitions === undefined ? [] : [{ server, definitions }]));
		for (const { server, error } of read) if (error !== undefined) failures.set(server, error);
		const isComplete = defined.length + countRejections(failures) === this.parts.servers.length;
		const misfits = findMisfits(
			graph,
			defined.map(({ server, definitions }) => ({ address: server.address, definitions })),
			{ isComplete, hasFilesToPlace: this.options.placement?.placeFiles !== undefined },
		);
		const fitting = defined.map(({ server }) => server).filter(({ address }) => !misfits.has(address));
		if (fitting.length > 0 || defined.length === 0) return fitting;
		if ([...failures.values()].some(isRejection)) return [];
		const silent = this.parts.servers.filter((server) => !defined.some((one) => one.server === server));
		throw new NoFittingServerError(
			[...misfits.values()].flat(),
			silent.map(({ address }) => address),
		);
	}

	private async readDefinitions(servers: readonly PoolServer[]) {
		const classes = listClassNames(this.submission.graph);
		return await Promise.all(
			servers.map(async (server): Promise<{ server: PoolServer; definitions?: Definitions; error?: unknown }> => {
				const read = await server.definitionsOf(classes, this.options);
				throwIfStopped(this.options.signal);
				return read.ok ? { server, definitions: read.value } : { server, error: read.error };
			}),
		);
	}

	/** A server with the same definitions would reject the graph as well. */
	private async skipSimilar(rejecting: PoolServer, error: unknown, failures: Map<PoolServer, unknown>): Promise<void> {
		const read = await this.readDefinitions(this.parts.servers);
		const own = read.find(({ server }) => server === rejecting)?.definitions;
		for (const { server, definitions } of read) {
			const isSimilar = own !== undefined && definitions !== undefined && haveSameDefinitions(this.submission.graph, own, definitions);
			if (isSimilar && !failures.has(server)) failures.set(server, error);
		}
	}

	private async sendTo(place: Place): Promise<PlacedJob | NotTaken> {
		const { server, jobsAhead } = place;
		logDecision({ kind: 'server_chosen', server: server.address, jobsAhead });
		const sentAt = clock.wallNow();
		const sent = await outcomeOf(this.submitTo(server));
		server.noteOutcome(sent);
		if (sent.ok) {
			this.parts.placements.accept(place, sent.value.job_id);
			return { server, job: sent.value };
		}
		const { error } = sent;
		const found = error instanceof UnknownOutcomeError ? await outcomeOf(this.findUnconfirmed(server, sentAt, error)) : undefined;
		if (found?.ok && found.value !== undefined) {
			this.parts.placements.accept(place, found.value.job_id);
			return { server, job: found.value };
		}
		this.parts.placements.release(place);
		if (found?.ok === false) throw found.error;
		if (error instanceof UnknownOutcomeError) {
			this.lost.add(server);
			logDecision({ kind: 'server_lost', server: server.address, jobId: error.jobId ?? '' });
		} else if (!isTransient(error) && !isRejection(error)) throw error;
		return new NotTaken(error);
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
	private async findUnconfirmed(server: PoolServer, sentAt: number, cause: UnknownOutcomeError): Promise<Job | undefined> {
		const { signal } = this.options;
		const canRunElsewhere = await this.canRunElsewhere();
		const limitMs = canRunElsewhere ? LOST_AFTER_MS : this.budgetMs;
		const options = { ...this.options, earlier: { answerLost: true, firstSentAt: sentAt } };
		for (let reads = 1; ; reads++) {
			const found = await server.ask(async ({ jobs }) => await jobs.findEarlier(options), { signal });
			if (found.ok && found.value !== undefined) return this.recovered({ ...found.value, server }).job;
			const remainingMs = limitMs - (clock.wallNow() - sentAt);
			if (remainingMs <= 0 && canRunElsewhere) return undefined;
			if (remainingMs <= 0) throw this.toUnknownOutcome([server.address], undefined, cause.cause ?? cause, cause.jobId);
			await delay(Math.min(ownPauseMs(reads), remainingMs), signal);
		}
	}

	private toUnknownOutcome(
		servers: readonly string[],
		before: UnknownOutcomeError['before'],
		cause: unknown,
		jobId?: string,
	): UnknownOutcomeError {
		return new UnknownOutcomeError(this.options.idempotencyKey, { jobId, before, servers, cause });
	}
}

/** Whether the server understood the workflow and does not accept it. Another server may have other versions of its nodes. */
const isRejection = (error: unknown): boolean => error instanceof ApiError && error.code === 'invalid_workflow';

const countRejections = (failures: ReadonlyMap<PoolServer, unknown>): number => [...failures.values()].filter(isRejection).length;
