/** The ports: what an interface can do. v2, v1 and engine implement them, and the nodes use nothing else. */
import type { JsonRecord } from '../json/decode';
import type { ApiGraph, Job, JobEvent, JobLog, JobStatus, JobWorkflow, MadeBy } from './job';

export interface CallOptions {
	/** Checked before every request. When it fires, a running request ends with a StoppedError. */
	signal?: AbortSignal;
}

/** A job to submit. */
export interface NewJob {
	graph: ApiGraph;
	/** Sent unchanged. Never stored, logged or shown in an error. Omitted if empty. */
	extraData?: Record<string, unknown>;
	/**
	 * Returns the editor's file with the values of this graph, which ComfyUI writes into each output; undefined for none. It is sent
	 * if the service accepts it. Neither an idempotency key nor the search for a job depends on it.
	 */
	toEditorFile?(graph: ApiGraph): JsonRecord | undefined;
	/** Stored with the job if the service supports it. An idempotency key does not depend on it. */
	madeBy?: MadeBy;
}

/** Reported while a submission is sent, so that the caller can record it. */
export type SubmitEvent =
	/** The request is sent now. Before this event it is certain that there is no job. */
	| { type: 'sending' }
	/** An attempt got no answer. It may have made a job, or may make one when it arrives late, even if a later attempt is rejected. */
	| { type: 'answerLost' }
	/** It is certain that neither this attempt nor an earlier one has made a job. */
	| { type: 'nothingMade' }
	/**
	 * The job belongs to an earlier attempt, in this process or an earlier one. `laterId` is set if it belongs to one of
	 * `LostRecord.laterIds`.
	 */
	| { type: 'recovered'; laterId?: string };

/** An earlier process may have sent the submission, and its record is lost. */
export interface LostRecord {
	/** It may have been sent since this time (epoch milliseconds). If its job exists, it is returned. */
	since: number;
	/**
	 * Each stop cancels the job, and the next try submits under the next of these ids. How many of them were used is unknown.
	 * If the service forgets canceled jobs, only the job of the last used one may be left.
	 */
	laterIds?: readonly string[];
}

/** What earlier attempts of a submission may have done. */
export interface EarlierAttempts {
	/**
	 * An attempt got no answer, in this process or an earlier one. If the key is in use, our own job probably exists and is
	 * searched for.
	 */
	answerLost?: boolean;
	/** When the first attempt to send the submission began (epoch milliseconds). Only later jobs are considered. Default: now. */
	firstSentAt?: number;
	lostRecord?: LostRecord;
}

export interface SubmitOptions extends CallOptions {
	/** Identifies this submission in all tries and retries. No other submission gets its job. Default: the key. */
	submissionId?: string;
	/**
	 * Sent as `Idempotency-Key`, unchanged in every attempt. Without a key, nothing is sent again after bytes may have
	 * left.
	 */
	idempotencyKey?: string;
	/**
	 * The key belongs only to this submission. If it is in use, the submission has arrived before (a proxy may deliver it
	 * twice), so its job is searched for.
	 */
	keyIsOurs?: boolean;
	/** Absent if the submission certainly was not sent before. */
	earlier?: EarlierAttempts;
	/** Jobs of other submissions. They are never returned as the job of this one. */
	knownJobIds?: ReadonlySet<string>;
	/**
	 * How long the submission is repeated while the service is full, busy or (without a `contact` of the connection)
	 * unreachable, in milliseconds.
	 */
	retryBudgetMs?: number;
	/** The job runs before all that wait. Only engines and pools know that. */
	atFront?: boolean;
	/** How a pool chooses the server. Other connections ignore it. */
	placement?: PlacementOptions;
	/** Called at once, before the submission continues. */
	onEvent?(event: SubmitEvent): void;
}

/** What a pool needs to know to choose a server for a job. */
export interface PlacementOptions {
	/** The caller waits for the job. Such jobs of one run are limited to two for each server. */
	isAwaited: boolean;
	/** How many jobs of the same run follow this one. */
	jobsToCome: number;
	/**
	 * What happens if the server of the job stops responding. `report`: the job is unconfirmed. `runElsewhere`: the job is
	 * submitted to another server, unless its graph has partner nodes.
	 */
	whenLost: 'report' | 'runElsewhere';
	/**
	 * Called with the address of the chosen server, before the job is submitted to it, maybe for several servers one after
	 * another. Uploads the files of the graph to this server.
	 * @returns the graph that uses them.
	 */
	placeFiles?(server: string): Promise<ApiGraph>;
	/** Returns the graph with `comparableFile` where `placeFiles` puts a file. */
	comparable?(): ApiGraph;
	/**
	 * Called when a server has accepted the job, for each server that gets no jobs for now.
	 * @param refusal why, as an error.
	 */
	onLeftOut?(server: string, refusal: unknown): void;
}

export interface JobCapabilities {
	/** A second submission with the same key never makes a second job. */
	canResubmit: boolean;
	/** One page of the job list costs the service little more than one job read. */
	hasCheapList: boolean;
}

export interface StreamOptions extends CallOptions {
	/** Called when the service has opened the stream, before the first event. */
	onOpen?(): void;
}

/** The contact with a server, and its time limits in milliseconds. */
export interface JobContact {
	readonly hasAnswered: boolean;
	/** How long requests are repeated before something was submitted. */
	readonly waitMs: number;
	/** How long a server that has a job may give no usable answer. */
	readonly lostLimitMs: number;
	/** Since when the server has not answered, by `clock.now`; undefined while it answers. */
	readonly silentSince: number | undefined;
	/** Why the latest request got no answer; undefined while the server answers. */
	readonly failure: unknown;
	readonly address: string | undefined;
	/** Call this when a job on the server is known. */
	noteWork(): void;
}

export interface JobService {
	readonly capabilities: JobCapabilities;
	/** Connections with the same identity see the same jobs in the same way. It reveals nothing about the key. */
	readonly identity: string;
	/** Returns the contact with the server of a job, if there are time limits for a server that does not answer. */
	contactOf(job?: Job | string): JobContact | undefined;
	/** Fires when the connection is closed. Waits for its jobs end then. */
	readonly closed: AbortSignal;
	/**
	 * Submits once. After a stop it sends nothing more, but a request that is on its way gets 5 s for its answer, so that
	 * the caller can cancel the job.
	 * @throws ApiError if the service rejects it; UnknownOutcomeError if a job may exist but was not found.
	 */
	submit(newJob: NewJob, options?: SubmitOptions): Promise<Job>;
	/**
	 * Reads a job, through its own link if it is known.
	 * @throws ApiError `not_found` or `job_not_found`: unknown, owned by another account, or deleted after its retention.
	 */
	get(job: Job | string, options?: CallOptions): Promise<Job>;
	/** Returns the workflow of a job. Its form is in `format`. If the job was just read, its status may save a request. */
	workflow(job: Job | string, options?: CallOptions): Promise<JobWorkflow>;
	/**
	 * Asks the service to cancel a job, through its own cancel link if there is one. Repeatable. A finished job stays as
	 * it is.
	 */
	cancel(job: Job | string, options?: CallOptions): Promise<Job>;
	/**
	 * Reads the log of a job. Absent on v1, which has no logs.
	 * @returns undefined if the service has no log for this job.
	 * @throws ApiError or UnreadableAnswerError with status 404 if an engine does not have the route.
	 */
	log?(job: Job, options?: CallOptions): Promise<JobLog | undefined>;
	/**
	 * The live events of one connection. They end after a final status, and throw if the connection is rejected, lost or
	 * silent.
	 */
	events(job: Job, options?: StreamOptions): AsyncIterable<JobEvent>;
	/**
	 * Lists jobs, newest first.
	 * @throws ApiError `not_implemented` if the service lists no jobs.
	 */
	list(options?: ListOptions): Promise<JobPage>;
}

export interface ListOptions extends CallOptions {
	/** The service may return fewer. */
	limit?: number;
	cursor?: string;
	/** Only jobs with one of these statuses. Only services whose list has no pages support it; the others ignore it. */
	statuses?: readonly JobStatus[];
	/** Only jobs with one of these statuses are needed. The list may contain others. Empty for all. */
	wantedStatuses?: readonly JobStatus[];
	/**
	 * Only jobs that were made since this time (epoch milliseconds) are needed. The list may end with the first older job. Called
	 * after a response, which may show how far the service's clock is behind.
	 */
	wantedSince?: () => number;
	/** Include `made_by`. Engines then return a longer answer. */
	withMadeBy?: boolean;
	/**
	 * Only jobs of this n8n workflow are needed. The list may contain others.
	 * @throws ApiError `made_by_not_kept` if the service stores no `made_by` at all.
	 */
	madeInWorkflow?: string;
}

export interface JobPage {
	jobs: Job[];
	/** Absent on the last page. */
	nextCursor?: string;
	/** There are more jobs, but the service cannot list them. */
	isTruncated?: true;
	/** The addresses of the servers of a pool that did not respond. Their jobs are not listed. */
	unanswered?: string[];
}

/** A job in the account's queue. */
export interface QueueEntry {
	job_id: string;
	/** Its number in the order of submission. */
	number: number | null;
	created_at: string | null;
	workflow: ApiGraph | null;
	/** The nodes whose outputs are requested. */
	output_node_ids: string[];
	/** Absent if it is not stored. */
	made_by?: MadeBy;
}

export interface JobQueue {
	running: QueueEntry[];
	/** In the order in which they run. */
	pending: QueueEntry[];
}

export interface FeedListener {
	/** Connected, for the first time or again. Earlier events are not repeated, so read the state. */
	onConnect(): void;
	/**
	 * @param jobId null for events of the account.
	 * @param raw the frame as it arrived, without binary data.
	 */
	onEvent(event: JobEvent, jobId: string | null, raw: unknown): void;
	/** Not connected. The next attempt follows after `retryInMs`. Never a StoppedError. */
	onTrouble(error: unknown, retryInMs: number): void;
}

/** The live events of all jobs that one connection reports. */
export interface JobFeed {
	/** Stays connected until the signal fires or the connection is closed, and resolves then. */
	follow(listener: FeedListener, signal?: AbortSignal): Promise<void>;
	/**
	 * Sets the number of nodes in a job's graph, which the frames do not contain.
	 * @returns its progress by that number, if the job runs.
	 */
	setTotal(jobId: string, nodes: number): JobEvent | undefined;
}
