/** The ports: what the interfaces of the service can do. v2, v1 and engines implement them; nodes speak to nothing else. */
import type { ApiGraph, Asset, AssetReference, FileReference, Job, JobEvent, JobStatus, JobWorkflow, MadeBy } from './job';
import type { JsonRecord } from './decode';

export interface CallOptions {
	/** Checked before every request and ends a running one with a StoppedError. */
	signal?: AbortSignal;
}

export interface Submission {
	graph: ApiGraph;
	/** Sent as it is; never stored, logged or repeated in an error. Omitted when empty. */
	extraData?: Record<string, unknown>;
	/** Kept with the job where the service keeps such things; no part of what an idempotency key stands for. */
	madeBy?: MadeBy;
}

export interface SubmitOptions extends CallOptions {
	/** The same in every try and every retry of this submission, and in no other: no other is given its job. By default the key. */
	submissionId?: string;
	/** Sent as `Idempotency-Key`, unchanged in every attempt. Without one nothing is resent once bytes may have left. */
	idempotencyKey?: string;
	/** How long to keep trying while the service is full, busy or, without a `contact` of the connection, unreachable; in milliseconds. */
	retryBudgetMs?: number;
	/**
	 * An earlier attempt with this key got no answer (in this process or one before): the key being in use then means
	 * that our own job probably exists, so it is searched for.
	 */
	earlierAnswerLost?: boolean;
	/**
	 * The key was made for this submission alone. Its being in use can then only mean that the submission has arrived
	 * before (a proxy may deliver it twice), so its job is searched for.
	 */
	keyIsOurs?: boolean;
	/** Jobs known to belong to other submissions: never taken for the lost one. */
	knownJobIds?: ReadonlySet<string>;
	/** When the lost attempt was first sent (epoch milliseconds); only jobs created after it are considered. */
	firstSentAt?: number;
	/** Somebody who left no record may have made this submission since then (epoch milliseconds): its job is taken if there is one. */
	mayExistSince?: number;
	/**
	 * What stands for this submission once a stop has canceled its job: once, twice, …. With `mayExistSince`: nobody knows how
	 * often that was, and where the service forgets what was canceled, a job of one of these may be all that is left.
	 */
	laterIds?: readonly string[];
	/** What was sent under one of `laterIds`, where the seeds differ. */
	graphFor?(laterId: string): Promise<ApiGraph>;
	/** The job is that of an earlier attempt, here or in a process before; of which of `laterIds`, if of one of them. */
	onFound?(laterId?: string): void;
	/** Called before the submission may leave, each time: until then it is certain that there is no job. */
	onSend?(): void;
	/** Called when an attempt may have made a job, or may make one when it arrives late. A later rejection does not rule that out. */
	onAnswerLost?(): void;
	/** Called when an attempt has made no job, nor one before it: until the next it is certain again. */
	onNothingMade?(): void;
}

export interface JobCapabilities {
	/** Sending a submission again with the same key can never make a second job. */
	safeResubmit: boolean;
	/** One answer of its list costs the service little more than a job's own read. */
	cheapList: boolean;
}

export interface StreamOptions extends CallOptions {
	/** The service has granted the stream, before its first event. */
	onOpen?(): void;
}

export interface JobService {
	readonly capabilities: JobCapabilities;
	/** Services of the same identity see the same jobs by the same way. It tells nothing of the key. */
	readonly identity: string;
	/** Whether the server answers, where requests to one that does not have a limit of their own. */
	readonly contact?: { readonly hasAnswered: boolean; readonly waitMs: number };
	/**
	 * Submits once. A stop sends nothing more, but a request on its way gets 5 s to bring its answer, so that the
	 * caller can cancel the job.
	 * @throws ApiError when the service refuses; UnknownOutcomeError when a job may exist but cannot be found.
	 */
	submit(submission: Submission, options?: SubmitOptions): Promise<Job>;
	/** Reads a known job by its own link. @throws ApiError `not_found` or `job_not_found`: unknown, not owned, or past its retention. */
	get(job: Job | string, options?: CallOptions): Promise<Job>;
	/** The workflow behind a job; branch on `format`. */
	workflow(jobId: string, options?: CallOptions): Promise<JobWorkflow>;
	/** Asks for the job's end, through its own cancel link where it has one. Repeatable; a terminal job stays as it is. */
	cancel(job: Job | string, options?: CallOptions): Promise<Job>;
	/** One connection's worth of live events. Ends after a terminal status; throws when refused, dropped or silent. */
	events(job: Job, options?: StreamOptions): AsyncIterable<JobEvent>;
	/** Newest first, where the service lists jobs; ApiError `not_implemented` where it does not. */
	list(options?: ListOptions): Promise<JobPage>;
}

export interface ListOptions extends CallOptions {
	/** The service may give fewer on a page. */
	limit?: number;
	cursor?: string;
	/** Only jobs in one of these, for services whose list has no pages; others take no notice. */
	statuses?: readonly JobStatus[];
	/** `made_by` is wanted as well: engines tell it at the cost of a longer answer. */
	withMadeBy?: boolean;
	/** Only jobs of this workflow are needed, others may come. ApiError `made_by_not_kept` where it is certain that no job tells. */
	madeInWorkflow?: string;
}

export interface JobPage {
	jobs: Job[];
	/** Absent on the last page. */
	nextCursor?: string;
	/** There are more, and no way to page to them. */
	isTruncated?: true;
}

/** A file that can be read more than once: to hash it, to send it, to send it again. */
export interface UploadSource {
	/** A chunk's memory may be used again once the next but one is asked for; chunks before the last exceed 64 KiB then. */
	open(): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
	/** Known in advance: the upload then carries a Content-Length. */
	sizeBytes?: number;
	contentType: string;
}

export interface AssetOptions {
	/** The file's name in the service, e.g. `inputs/cat.png`; never a path on this disk. */
	filePath?: string;
	tags?: string[];
	/** 60 to 604,800. */
	expiresInSeconds?: number;
}

export interface UploadOptions extends AssetOptions, CallOptions {
	filePath: string;
	/** Hash the file first and send its bytes only when the service does not have them. */
	skipIfStored?: boolean;
	/** `blake3:<hex>` of the file, where it is known already. */
	hash?: string;
	/** v1: what the file is for. Kept `input` files, or `temp` ones. */
	use?: 'input' | 'temp';
	/** v1: whether a file of the same name is replaced; the hosted service takes no notice. */
	overwrite?: boolean;
}

export interface MaskOptions extends CallOptions {
	filePath: string;
	/** The image that the mask belongs to. */
	original: FileReference;
}

export interface UploadResult {
	asset: Asset;
	/** Bytes of the file that went over the wire: 0 when the service had them. */
	bytesSent: number;
}

export interface DownloadSource {
	url: string;
	/** Verified when above 0. */
	sizeBytes?: number | null;
	/** `blake3:<hex>`; verified when given. */
	hash?: string | null;
	/** What is expected. When given, a web page in its place is refused: proxies send one with HTTP 200. */
	contentType?: string;
	/** Asked once for a new link when this one has expired. */
	freshUrl?: (options: CallOptions) => Promise<string>;
}

export interface Download {
	/** As the service names the file when it sends it; null where it does not. Not safe to save under. */
	fileName: string | null;
	contentType: string | null;
	/** From Content-Length; null where the service does not say. */
	sizeBytes: number | null;
	/**
	 * The bytes, resumed by Range after a cut. Ends with an IntegrityError when size or hash do not match what was
	 * announced: a consumer that saves must throw away what it has then.
	 */
	bytes: AsyncIterable<Uint8Array>;
}

export interface AssetStore {
	upload(source: UploadSource, options: UploadOptions): Promise<UploadResult>;
	/** What to place in a graph for this asset. */
	reference(asset: Asset): AssetReference;
	download(source: DownloadSource, options?: CallOptions): Promise<Download>;
	/** On v2; others know files by their names only. */
	readonly records?: AssetRecords;
	/** On v1 and on engines. */
	readonly masks?: AssetMasks;
}

/** What the service knows of files, by id or by hash. */
export interface AssetRecords {
	get(assetId: string, options?: CallOptions): Promise<Asset>;
	/** Deletes the record; bytes shared with other records stay. */
	delete(assetId: string, options?: CallOptions): Promise<void>;
	/** @throws ApiError `blob_not_found` when the service has no such bytes, or they are not yours. */
	fromHash(hash: string, options?: AssetOptions & CallOptions): Promise<Asset>;
	/** Whether the service has these bytes. */
	has(hash: string, options?: CallOptions): Promise<boolean>;
}

/** Masks, which belong to images that are stored already. */
export interface AssetMasks {
	upload(source: UploadSource, options: MaskOptions): Promise<UploadResult>;
}

/** A job in the account's queue. */
export interface QueueEntry {
	job_id: string;
	/** Its place in the order of submission. */
	number: number | null;
	created_at: string | null;
	workflow: ApiGraph | null;
	/** The nodes whose outputs are wanted. */
	output_node_ids: string[];
	/** Absent where nobody has said so. */
	made_by?: MadeBy;
}

export interface JobQueue {
	running: QueueEntry[];
	/** The next to run first. */
	pending: QueueEntry[];
}

/** What v1 and engines offer beside jobs: one queue for everybody, and the definitions of all nodes. */
export interface ServerControl {
	queue(options?: CallOptions): Promise<JobQueue>;
	/** Takes jobs out of the queue; some services stop running ones too. @returns what the service answered. */
	deleteFromQueue(jobIds: string[], options?: CallOptions): Promise<JsonRecord>;
	/** Stops *every* running job of the account, or of the engine. */
	interrupt(options?: CallOptions): Promise<void>;
	/** Class name → definition. Only `classes` are needed, where they are named; more may come. */
	nodeDefinitions(options?: CallOptions & { classes?: readonly string[] }): Promise<Record<string, JsonRecord>>;
}

/** What an engine tells of jobs. One goes from the queue to the history at once: who looks in this order misses none. */
export interface EngineRecords {
	queue(options?: CallOptions): Promise<JobQueue>;
	/** The newest jobs that have ended. */
	history(maxItems: number, options?: CallOptions): Promise<Job[]>;
	/** Undefined while a job has not ended, and when nobody knows it. */
	ended(jobId: string, options?: CallOptions): Promise<Job | undefined>;
}

export interface FeedListener {
	/** Connected, for the first time or again: what happened before is not told, so it must be read. */
	onConnect(): void;
	/**
	 * @param jobId null for news of the account.
	 * @param raw the frame as it came; bytes are left out.
	 */
	onEvent(event: JobEvent, jobId: string | null, raw: unknown): void;
	/** Not connected; it is tried again after `retryInMs`. Never a StoppedError. */
	onTrouble(error: unknown, retryInMs: number): void;
}

/** Live news of all jobs that one connection tells of. */
export interface JobFeed {
	/** Connects, and connects again, until the signal fires; only then it resolves. */
	follow(listener: FeedListener, signal: AbortSignal): Promise<void>;
	/** Says how many nodes a job's graph has, which frames do not tell. @returns its progress by that size, if it runs. */
	setTotal(jobId: string, nodes: number): JobEvent | undefined;
}

/** A workflow that somebody saved in ComfyUI, as its list tells of it. */
export interface SavedWorkflow {
	/** Below the folder of workflows, e.g. `portraits/fox.app.json`: what `read` takes. */
	path: string;
	/** Saved in App Mode. */
	isApp: boolean;
	sizeBytes: number | null;
	/** ISO 8601; null where the server does not say. */
	modifiedAt: string | null;
}

/** A workflow that the server brings along. */
export interface WorkflowTemplate {
	/** What `template` takes. */
	name: string;
	title: string;
	description: string;
	/** Of the list on screen, e.g. `Image`. */
	group: string;
}

/** Workflows that the server keeps, in the editor's format mostly. Each read is of what stands there now. */
export interface WorkflowLibrary {
	/** Whose words its refusals are in. */
	readonly interface: 'v1' | 'engine';
	/** Those of the server's user; none where the folder is missing. */
	list(options?: CallOptions): Promise<SavedWorkflow[]>;
	/** @throws ApiError 404 where there is none of that path. */
	read(path: string, options?: CallOptions): Promise<JsonRecord>;
	/** ComfyUI's own, and those of custom packs. */
	templates(options?: CallOptions): Promise<WorkflowTemplate[]>;
	template(name: string, options?: CallOptions): Promise<JsonRecord>;
}
