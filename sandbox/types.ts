/** The public types of the sandbox. */
import type { Behaviour } from './behaviour';
import type { ApiGraph } from './graphEngine/types';
import type { FaultHandle, FaultRule } from './faultTypes';
import type { Ledger } from './ledger';
import type { AccountName, JobStatus, ServiceSurface, Surface } from './vocabulary';

export interface SandboxOptions extends Partial<Behaviour> {
	/** The first of seven consecutive ports (self_hosted, self_hosted_token, hosted, deployment, storage, engine, router). Free ones by default. */
	port?: number;
	/** The keys of a closed sandbox, so that its callers keep access. New keys by default. */
	keys?: Readonly<SandboxKeys>;
	/** A path under which the four service surfaces are mounted, for example `/gateway/one`. None by default. */
	mountPrefix?: string;
	/** The same for the engine alone, for example `/comfy`; `urls.engine` ends with it. None by default. */
	engineMount?: string;
}

export interface SandboxUrls {
	self_hosted: string;
	self_hosted_token_url: string;
	hosted: string;
	deployment: string;
	storage: string;
	/** The self_hosted surface is a proxy in front of it. */
	engine: string;
	/** The model router; its routes begin with `/v1` or `/v2`. */
	router: string;
}

export interface SandboxKeys {
	/** Account API key of `main`, for hosted and deployment. */
	apiKey: string;
	/** Account API key of `other`. */
	otherApiKey: string;
	/** Static token of self_hosted_token. */
	bearer: string;
	/** A key for partner nodes; never a credential of the service itself. */
	partnerKey: string;
	/** Signed-in token of `main`, for the router; good for 30 days. */
	jwt: string;
}

/** Jobs of account `main` on hosted, unless said otherwise. */
export interface SandboxSeeds {
	/** Pinned to a saved version: its workflow has format `save`. */
	pinnedJob: string;
	/** Pinned to a version deleted since: format `api`. */
	deletedVersionJob: string;
	/** Past its retention: 404. */
	expiredJob: string;
	/** Of account `other`: 404 for `main`. */
	foreignJob: string;
}

export interface RecordedRequest {
	surface: Surface;
	method: string;
	/** Without mount prefix and query. */
	path: string;
	/** Without query. */
	url: string;
	/** Raw query, without the question mark. */
	query: string;
	/** As received, credentials included. */
	headers: Record<string, string | string[] | undefined>;
	/** Bytes of the request's body received so far. */
	bodyBytes: number;
	/** The first 64 KiB of the body. */
	bodyText: string;
	/** Null while there is no answer. */
	status: number | null;
	/** Bytes, head and body, handed to the socket so far. */
	responseBytes: number;
	requestId: string;
	/** Epoch milliseconds. */
	at: number;
	/** Whether the exchange is over, answered or not. */
	finished: boolean;
}

/** A job as the service stores it. */
export interface SandboxJob {
	readonly id: string;
	readonly surface: ServiceSurface;
	readonly account: AccountName;
	readonly status: JobStatus;
	readonly graph: ApiGraph;
	readonly idempotencyKey: string | undefined;
	/** Epoch milliseconds. */
	readonly createdAt: number;
	readonly outputNames: string[];
}

/** An open WebSocket. */
export interface OpenSocket {
	readonly surface: Surface;
	/** The caller's own id; null if it sent none. */
	readonly clientId: string | null;
	readonly account: AccountName;
}

/** A signed-in token of the router. */
export interface JwtOptions {
	/** From now. With zero or less, the token has already expired. */
	expiresInSeconds: number;
	/** Default `main`. */
	account?: AccountName;
}

export interface SavedPlace {
	surface?: 'engine' | 'hosted';
	/** For an engine with several users. */
	user?: string;
	/** `subgraphs` for a blueprint. Default: `workflows`. */
	folder?: 'workflows' | 'subgraphs';
}

export interface Sandbox {
	readonly urls: SandboxUrls;
	readonly keys: SandboxKeys;
	readonly seeds: SandboxSeeds;
	readonly ledger: Ledger;
	/** Applies a fault to the next matching requests. */
	inject(rule: FaultRule): FaultHandle;
	clearFaults(): void;
	/** Requests received, oldest first; `on` as in a fault rule, for example `POST /api/v2/jobs`, `GET /api/v2/jobs/:id`. */
	requests(on?: string, surface?: Surface): RecordedRequest[];
	/** The highest number of requests that a route had open at the same time. */
	peak(on: string, surface?: Surface): number;
	/** The highest number of jobs in flight (queued, running or canceling) on one surface at the same time. */
	peakJobs(surface: ServiceSurface): number;
	/** Resets recorded requests and both peaks. */
	resetRecords(): void;
	configure(behaviour: Partial<Behaviour>): void;
	/** How many jobs may be in flight on one surface before `queue_full`; unlimited at the start. */
	setQueueLimit(jobs: number): void;
	/** The status that v1's status route answers for one job; null for the job's own status again. */
	setV1Status(jobId: string, word: string | null): void;
	/** A new signed-in token for the router, of `main` by default. */
	jwt(options: JwtOptions): string;
	/** Advances the time by which the router keeps keys, results and cursors. Signed-in tokens use the real time. */
	advanceClock(ms: number): void;
	/** US cents that an account's calls in flight on the router may commit, as its headers report them; null for no limit, as at the start. */
	setSpendLimit(account: AccountName, cents: number | null): void;
	/** Queued requests that may run at the same time on the router; unlimited at the start. The others wait. */
	setRouterConcurrency(calls: number): void;
	/** False: every call of the router is refused as `not_enabled`. */
	setRouterEnabled(enabled: boolean): void;
	/** WebSockets open at this moment, oldest first. */
	sockets(surface?: Surface): OpenSocket[];
	/** Destroys the TCP connections of open WebSockets. */
	dropSockets(surface?: Surface): void;
	/** Sends a text or binary frame unchanged on every open WebSocket. */
	sendFrame(frame: string | Uint8Array, surface?: Surface): void;
	/** Saves a workflow for the editor, as text or object, in the engine or for the account `main` of the hosted surface. */
	saveWorkflow(path: string, workflow: unknown, options?: SavedPlace & { modifiedAt?: number }): void;
	deleteWorkflow(path: string, options?: SavedPlace): void;
	/** Moves the times of a job back by so many milliseconds. The end of its retention does not change. */
	ageJob(jobId: string, ms: number): void;
	/** The surface loses its records of jobs and keys, like a self-hosted proxy that restarts together with its engine. */
	forgetJobs(surface: ServiceSurface): void;
	/** The engine prints this text on its console, as a custom node does. */
	print(text: string): void;
	/** The engine loses its queue, history and connections, as at a restart. */
	restartEngine(): void;
	/**
	 * The engine's port refuses connections, open connections are cut, and self_hosted cannot reach it. Running jobs continue.
	 * Together with `restartEngine`, this is a process that has ended.
	 */
	stopEngine(): Promise<void>;
	/** The engine listens again on the same port. */
	startEngine(): Promise<void>;
	job(jobId: string): SandboxJob | undefined;
	jobs(surface?: ServiceSurface): SandboxJob[];
	/** Ends running jobs and open connections, and removes all stored files. */
	close(): Promise<void>;
}
