import { pauseBetweenPolls } from '../comfyui/followJob';
import { QUEUE_STATUSES } from '../comfyui/jobRecords';
import { timeOf } from '../comfyui/timestamps';
import type { EngineConnection, PoolMember } from '../connection/connection';
import { mayPass } from '../contact/failures';
import { POLICIES } from '../contact/policy';
import { ComfyError } from '../errors/errors';
import type { Job } from '../ports/job';
import { withPoolReference, withServer } from '../pool/poolFiles';
import { Alarm } from '../async/alarm';
import { outcomeOf } from '../async/outcome';
import { allowsId } from './event';
import { listRecentJobs, repeatUntilDone, type SourceListener } from './eventSource';

/** An open socket may still miss a change. */
const SAFETY_READ_MS = 30_000;
const READ_WITHOUT_SOCKET_MS = 5_000;

/** Enough for the jobs that end between two reads. */
const HISTORY_ENTRIES = 64;

/** An engine alone, which has no address here, or as a server of a pool. */
export type WatchedServer = Pick<PoolMember, 'open'> & Partial<Pick<PoolMember, 'address'>>;

export interface ServerWatchSettings {
	/** Only these jobs; empty for all jobs. */
	readonly jobIds: readonly string[];
	readonly listener: SourceListener;
	readonly signal: AbortSignal;
	/** Called after each read of queue and history. @param isBack whether the read before failed, or this is the first one. */
	onRead(isBack: boolean): Promise<void>;
}

/**
 * Watches all jobs of one engine. An engine sends the events of a job only to the client that submitted it. So each `status`
 * message is a sign that queue and history have changed, and these are read.
 */
export class ServerWatch {
	private readonly alarm = new Alarm();
	private readonly listener: SourceListener;
	private isLive = false;
	/** Jobs of the history that were reported, or did not have to be: those of the newest entries, and of an unfinished read. */
	private reported = new Set<string>();
	/** All jobs that ended before this time of the engine (epoch milliseconds) were reported, or did not have to be. */
	private reportedUntil: number;
	/** The jobs that waited or ran at the latest read. */
	queued: ReadonlySet<string> = new Set();
	/** Whether the latest read failed, or none has succeeded yet. */
	isSilent = true;

	constructor(
		private readonly server: WatchedServer,
		private readonly settings: ServerWatchSettings,
	) {
		const { listener } = settings;
		this.listener = server.address === undefined ? listener : withAddress(listener, server.address);
		this.reportedUntil = listener.since;
	}

	async run(): Promise<void> {
		const { signal } = this.settings;
		const connection = await repeatUntilDone(async () => await this.server.open({ signal }), POLICIES.search, this.listener, signal);
		if (connection === undefined) return;
		const reading = this.readRepeatedly(connection);
		await connection.feed?.follow(
			{
				onConnect: () => this.setLive(true),
				onEvent: (event, jobId, raw) => {
					this.listener.onEvent(event, jobId, raw);
					if (event.kind === 'queue') this.alarm.ring();
				},
				onTrouble: (error, retryInMs) => {
					this.setLive(false);
					this.listener.onTrouble({ error, retryInMs });
				},
			},
			signal,
		);
		await reading;
	}

	private setLive(isLive: boolean): void {
		this.isLive = isLive;
		this.alarm.ring();
	}

	private async readRepeatedly(connection: EngineConnection): Promise<void> {
		const { signal } = this.settings;
		while (!signal.aborted) {
			const read = await outcomeOf(this.readChanges(connection));
			this.isSilent = !read.ok;
			if (read.ok && this.isLive) this.listener.onConnect();
			if (!read.ok && !signal.aborted) this.listener.onTrouble({ error: read.error, retryInMs: READ_WITHOUT_SOCKET_MS });
			await pauseBetweenPolls(signal);
			await outcomeOf(this.alarm.sleep(this.isLive && read.ok ? SAFETY_READ_MS : READ_WITHOUT_SOCKET_MS, signal));
		}
	}

	private async readChanges(connection: EngineConnection): Promise<void> {
		const { signal, onRead } = this.settings;
		const { records } = connection;
		const { running, pending } = await records.queue({ signal });
		for (const { job_id: jobId } of running) this.reportStatus(jobId, 'running');
		for (const { job_id: jobId } of pending) this.reportStatus(jobId, 'pending');
		this.queued = new Set([...running, ...pending].map(({ job_id }) => job_id));
		await this.reportHistory(
			connection,
			(await records.recent(HISTORY_ENTRIES, { signal })).map(({ job }) => job),
		);
		const isBack = this.isSilent;
		this.isSilent = false;
		await onRead(isBack);
	}

	/** @param newest oldest first. */
	private async reportHistory(connection: EngineConnection, newest: readonly Job[]): Promise<void> {
		const { jobIds, listener } = this.settings;
		const newestIds = new Set(newest.map(({ job_id }) => job_id));
		const mayHaveOlder = jobIds.length === 0 && newest.length >= HISTORY_ENTRIES && newest.every((job) => this.isDue(job, listener.since));
		if (mayHaveOlder) await this.reportOlder(connection, newestIds);
		const inFlight = new Set(listener.inFlight());
		for (const job of newest) if (inFlight.has(job.job_id) || this.isDue(job, listener.since)) this.reportEnd(job);
		this.reported = newestIds;
		this.reportedUntil = Math.max(this.reportedUntil, ...newest.map(({ completed_at }) => timeOf(completed_at) ?? 0));
	}

	/** Reports the jobs that ended before all of the newest ones, oldest first. A list contains no outputs, so each job is read. */
	private async reportOlder(connection: EngineConnection, newestIds: ReadonlySet<string>): Promise<void> {
		const { signal } = this.settings;
		for (const listed of await this.listDue(connection)) {
			const { job_id: jobId } = listed;
			if (newestIds.has(jobId)) continue;
			const job = await connection.records.ended(jobId, { signal });
			if (job !== undefined) this.reportEnd(job);
			this.reported.add(jobId);
		}
	}

	/** Without the rest of a list that the engine cannot return, the trigger still reports the other jobs. */
	private async listDue({ jobs }: EngineConnection): Promise<Job[]> {
		const { signal } = this.settings;
		const due: Job[] = [];
		const list = async (): Promise<void> => {
			for await (const job of listRecentJobs(jobs, signal, Infinity)) if (this.isDue(job, this.reportedUntil)) due.push(job);
		};
		const listed = await outcomeOf(list());
		if (!listed.ok && (signal.aborted || mayPass(listed.error))) throw listed.error;
		if (!listed.ok) this.listener.onTrouble({ error: listed.error, retryInMs: null });
		return due.reverse();
	}

	/** Whether a job ended since then (epoch milliseconds), and its end was not reported. */
	private isDue({ job_id: jobId, completed_at }: Job, since: number): boolean {
		return (timeOf(completed_at) ?? -Infinity) >= since && !this.reported.has(jobId) && !this.settings.listener.hasEnded(jobId);
	}

	private reportStatus(jobId: string, part: keyof typeof QUEUE_STATUSES): void {
		if (!allowsId(this.settings.jobIds, jobId)) return;
		const event = { kind: 'status', ...QUEUE_STATUSES[part], queue_position: null } as const;
		this.listener.onEvent(event, jobId, event);
	}

	private reportEnd(job: Job): void {
		if (allowsId(this.settings.jobIds, job.job_id)) this.listener.onJob(job);
	}
}

/** Returns a listener that receives everything with the server of a pool that it comes from. */
const withAddress = (listener: SourceListener, address: string): SourceListener => ({
	since: listener.since,
	inFlight: () => listener.inFlight(),
	hasEnded: (jobId) => listener.hasEnded(jobId),
	onConnect: () => listener.onConnect(address),
	onEvent: (event, jobId, raw) =>
		listener.onEvent(event.kind === 'output' ? { ...event, output: withPoolReference(event.output) } : event, jobId, raw),
	onJob: (job) => listener.onJob(withServer(job, { address })),
	onTrouble: (trouble) => {
		if (trouble.error instanceof ComfyError) trouble.error.server ??= address;
		listener.onTrouble({ ...trouble, server: address });
	},
});
