/** The ports that only engines have. */
import type { ApiGraph, Job } from './job';
import type { CallOptions, JobQueue, JobService, NewJob, SubmitOptions } from './jobService';

/** The job of an earlier attempt. `laterId`: which of `LostRecord.laterIds` it belongs to, if to one of them. */
export interface EarlierJob {
	job: Job;
	laterId?: string;
}

/** Jobs of engines. */
export interface EngineJobs extends JobService {
	/**
	 * Looks for the job that an earlier attempt of this submission may have made. Sends nothing.
	 * @returns undefined if the engine has no such job. A lost request may still arrive later.
	 * @throws UnknownOutcomeError if a process that has crashed may have sent the submission, and the engine does not say.
	 */
	findEarlier(newJob: NewJob, options: SubmitOptions): Promise<EarlierJob | undefined>;
}

/** A finished job with its graph, if the engine returns it. */
export interface RecentJob {
	job: Job;
	graph: ApiGraph | undefined;
}

/**
 * The records of jobs. A finished job moves from the queue to the history at once, so reading them in this order misses no
 * job.
 */
export interface ServerRecords {
	queue(options?: CallOptions): Promise<JobQueue>;
	/** Returns a finished job; undefined if it has not finished or is unknown. */
	ended(jobId: string, options?: CallOptions): Promise<Job | undefined>;
}

export interface EngineRecords extends ServerRecords {
	/** Returns the number of queued and running jobs, with a small request. */
	queueLength(options?: CallOptions): Promise<number>;
	/** Returns the newest finished jobs with their graphs, the newest last. */
	recent(maxItems: number, options?: CallOptions): Promise<RecentJob[]>;
}

/** A device that an engine computes on. Sizes in bytes; null if the engine does not report them. */
export interface ComputeDevice {
	name: string | null;
	type: string | null;
	index: number | null;
	vram_total: number | null;
	vram_free: number | null;
}

/** The versions, devices and memory of an engine. Sizes in bytes; null if the engine does not report a value. */
export interface ServerInfo {
	comfyui_version: string | null;
	python_version: string | null;
	pytorch_version: string | null;
	os: string | null;
	ram_total: number | null;
	ram_free: number | null;
	devices: ComputeDevice[];
	/** The command line of ComfyUI. Null in versions that do not report it. */
	start_arguments: string[] | null;
}

/** A model file of an engine. */
export interface ModelFile {
	/** The name as an input of a workflow takes it: the path below the folder. */
	name: string;
	size_bytes: number | null;
	/** ISO 8601. */
	modified_at: string | null;
}

/** The server behind an engine: its memory, its model files, its history and its users. */
export interface ServerMaintenance {
	info(options?: CallOptions): Promise<ServerInfo>;
	/**
	 * Unloads the models from memory. With `caches`, also drops the cached results of nodes. If a job runs, this happens
	 * when the job ends.
	 * @throws ApiError or UnreadableAnswerError if the engine has no such route.
	 */
	freeMemory(what: { caches: boolean }, options?: CallOptions): Promise<void>;
	/** Returns the names of the folders that hold models, for example `loras`. */
	modelFolders(options?: CallOptions): Promise<string[]>;
	/**
	 * Lists the models of a folder. Older engines report names only.
	 * @returns undefined if there is no such folder.
	 */
	models(folder: string, options?: CallOptions): Promise<ModelFile[] | undefined>;
	/** Removes finished jobs from the history: the named ones, or all. Their files stay. */
	clearHistory(jobIds: readonly string[] | 'all', options?: CallOptions): Promise<void>;
	/** Returns the names of the users by their ids; undefined if the engine has only one user. */
	users(options?: CallOptions): Promise<Record<string, string> | undefined>;
}
