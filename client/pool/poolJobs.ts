import { clock } from '../async/clock';
import { unknownJobError } from '../engine/service';
import { isNotFound } from '../errors/errors';
import { type Job, type JobEvent, type JobWorkflow, isTerminal, toJobId } from '../ports/job';
import type { CallOptions, JobContact, JobPage, JobService, ListOptions, StreamOptions, NewJob, SubmitOptions } from '../ports/jobService';
import { outcomeOf, valueOrThrow } from '../async/outcome';
import { Cache } from '../cache/cache';
import { isTransient } from '../contact/failures';
import { POOL_LIMITS } from '../contact/policy';
import { withPoolReference, withServer } from './poolFiles';
import {
	askAll,
	listErrors,
	listUnanswered,
	listValues,
	type PlacedJob,
	type PoolAnswer,
	type PoolServer,
	repeatWhileSilent,
	requireValues,
	toPoolError,
} from './poolServer';
import { type PoolParts, PoolSubmission } from './poolSubmission';
import { bestOf, decodePositions, isForgotten, mergePages } from './mergeAnswers';

const PAGE_SIZE = 100;
/** The location of an older job is found again by asking all servers. */
const MOST_JOBS = 10_000;

/** Where a job is. Known only in this process: another one finds it by asking the servers. */
interface JobLocation {
	server: PoolServer;
	/** Set if the job may run on another server after this one has lost it. */
	submission?: PoolSubmission;
	/** Since when its server has not responded, by `clock.now`. */
	silentSince?: number;
}

/** Jobs of a pool. Each job is on one server, which is known from its submission or found by asking all servers. */
export class PoolJobService implements JobService {
	readonly capabilities = { canResubmit: true, hasCheapList: false };
	private readonly locations = new Cache<string, JobLocation>({ mostEntries: MOST_JOBS });

	constructor(
		readonly identity: string,
		private readonly parts: PoolParts,
	) {}

	get closed() {
		return this.parts.closed;
	}

	/** The limits are those of the pool; the silence is that of the job's server. */
	contactOf(job?: Job | string): JobContact {
		const { contact } = this.parts;
		const { waitMs, lostLimitMs, silentSince, failure, hasAnswered } = contact;
		const server = job === undefined ? undefined : this.locationOf(job)?.server;
		const ofPool = { hasAnswered, waitMs, lostLimitMs, silentSince, failure, address: undefined, noteWork: () => contact.noteWork() };
		if (server === undefined) return ofPool;
		const { contact: ofServer, address } = server;
		return { ...ofPool, hasAnswered: ofServer.hasAnswered, silentSince: ofServer.silentSince, failure: ofServer.failure, address };
	}

	async submit(newJob: NewJob, options: SubmitOptions = {}): Promise<Job> {
		const poolSubmission = new PoolSubmission(this.parts, newJob, options);
		const placed = await poolSubmission.run();
		const mayMove = options.placement?.whenLost === 'runElsewhere';
		return this.noteLocation(placed, mayMove ? poolSubmission : undefined);
	}

	async get(job: Job | string, options: CallOptions = {}): Promise<Job> {
		const jobId = toJobId(job);
		const location = this.locationOf(job);
		if (location === undefined) return await this.find(jobId, options);
		const { server } = location;
		const read = await server.ask(async ({ jobs }) => await jobs.get(jobId, options), options);
		if (read.ok && !isForgotten(read.value)) return this.noteRead(location, read.value);
		if (!read.ok && isTransient(read.error)) return await this.handleSilence(jobId, location, read.error);
		if (!read.ok && !isNotFound(read.error)) throw read.error;
		// The server was restarted, or another process has moved the job to another server.
		const moved = (await this.findOnOthers(jobId, server, options)) ?? (await this.tryToMove(jobId, location));
		return moved ?? this.noteRead(location, valueOrThrow(read));
	}

	/** The server of the job does not respond. After a while, the job may run on another server. @throws the error of the read. */
	private async handleSilence(jobId: string, location: JobLocation, error: unknown): Promise<Job> {
		location.silentSince ??= clock.now();
		const isLost = clock.now() - location.silentSince >= POOL_LIMITS.lostMs;
		const moved = isLost ? await this.tryToMove(jobId, location) : undefined;
		if (moved === undefined) throw error;
		return moved;
	}

	async workflow(job: Job | string, options: CallOptions = {}): Promise<JobWorkflow> {
		const jobId = toJobId(job);
		const server = await this.serverOf(jobId, options);
		return valueOrThrow(await server.ask(async ({ jobs }) => await jobs.workflow(jobId, options), options));
	}

	/** Cancels on each server that has the job, because a lost job may run on two. */
	async cancel(job: Job | string, options: CallOptions = {}): Promise<Job> {
		const jobId = toJobId(job);
		const server = await this.serverOf(job, options);
		const others = this.locations.get(jobId)?.submission === undefined ? [] : this.parts.servers.filter((one) => one !== server);
		this.locations.set(jobId, { server });
		const [canceled] = await Promise.all([
			server.ask(async ({ jobs }) => await jobs.cancel(jobId, options), options),
			askAll(others, async ({ jobs }) => await jobs.cancel(jobId, options), options),
		]);
		return this.noteRead({ server }, valueOrThrow(canceled));
	}

	async *events(job: Job, options: StreamOptions = {}): AsyncGenerator<JobEvent, void, undefined> {
		const server = await this.serverOf(job, options);
		const { jobs } = await server.open(options);
		for await (const event of jobs.events(job, options)) {
			yield event.kind === 'output' ? { ...event, output: withPoolReference(event.output) } : event;
		}
	}

	/** Servers that do not respond are named in the page. */
	async list({ cursor, limit = PAGE_SIZE, ...options }: ListOptions = {}): Promise<JobPage> {
		const { servers } = this.parts;
		const positions = decodePositions(
			cursor,
			servers.map(({ address }) => address),
		);
		const listed = servers.filter(({ address }) => positions[address] !== undefined);
		const answers = await askAll(
			listed,
			async ({ jobs }, { address }) => await jobs.list({ ...options, limit, cursor: positions[address]?.cursor }),
			options,
		);
		const pages = requireValues(answers).map(({ server, value }) => ({
			address: server.address,
			position: positions[server.address] ?? { skip: 0 },
			page: { ...value, jobs: value.jobs.map((job) => withServer(job, server)) },
		}));
		const unanswered = listUnanswered(answers);
		return { ...mergePages(pages, limit), ...(unanswered.length > 0 && { unanswered }) };
	}

	private locationOf(job: Job | string): JobLocation | undefined {
		const known = this.locations.get(toJobId(job));
		if (known !== undefined || typeof job === 'string') return known;
		const server = this.parts.servers.find(({ address }) => address === job.server);
		return server && { server };
	}

	private async serverOf(job: Job | string, options: CallOptions): Promise<PoolServer> {
		const known = this.locationOf(job);
		if (known !== undefined) return known.server;
		const { server } = await this.locate(toJobId(job), options);
		return server;
	}

	private async find(jobId: string, options: CallOptions): Promise<Job> {
		const { job, server } = await this.locate(jobId, options);
		// Each server reports a derived id that it does not know as forgotten. So it is not known which one had the job.
		return isForgotten(job) ? job : this.noteLocation({ job, server });
	}

	/** @param server the only one that is not asked. */
	private async findOnOthers(jobId: string, server: PoolServer, options: CallOptions): Promise<Job | undefined> {
		const others = this.parts.servers.filter((other) => other !== server);
		const answers = await askAll(others, async ({ jobs }) => await jobs.get(jobId, options), options);
		const found = bestOf(toPlacedJobs(answers).filter(({ job }) => !isForgotten(job)));
		return found && this.noteLocation(found, this.locations.get(jobId)?.submission);
	}

	/**
	 * Asks all servers for a job. Repeats while one does not respond, because it may have the job.
	 * @throws the error of that server; else ApiError if no server knows the job.
	 */
	private async locate(jobId: string, options: CallOptions): Promise<PlacedJob> {
		return await repeatWhileSilent(this.parts, async () => await this.locateOnce(jobId, options), options);
	}

	private async locateOnce(jobId: string, options: CallOptions): Promise<PlacedJob> {
		const answers = await askAll(this.parts.servers, async ({ jobs }) => await jobs.get(jobId, options), options);
		const placed = toPlacedJobs(answers);
		const found = bestOf(placed.filter(({ job }) => !isForgotten(job)));
		if (found !== undefined) return found;
		const failures = listErrors(answers).filter((error) => !isNotFound(error));
		if (failures.length > 0) throw toPoolError(failures);
		const [forgotten] = placed;
		if (forgotten === undefined) throw unknownJobError();
		return forgotten;
	}

	/** @returns undefined if the job may not run on another server, or no other server takes it. */
	private async tryToMove(jobId: string, { server, submission }: JobLocation): Promise<Job | undefined> {
		if (submission === undefined) return undefined;
		const moved = await outcomeOf(submission.runElsewhere(server, jobId));
		return moved.ok ? this.noteLocation(moved.value, submission) : undefined;
	}

	private noteLocation({ job, server }: PlacedJob, submission?: PoolSubmission): Job {
		return this.noteRead({ server, submission }, job);
	}

	private noteRead(location: JobLocation, job: Job): Job {
		const { server, submission } = location;
		this.locations.set(job.job_id, { server, submission: isTerminal(job.status) ? undefined : submission });
		this.parts.placements.noteJob(server, job);
		return withServer(job, server);
	}
}

const toPlacedJobs = (answers: ReadonlyArray<PoolAnswer<Job>>): PlacedJob[] =>
	listValues(answers).map(({ server, value }) => ({ server, job: value }));
