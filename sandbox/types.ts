/** What a test, a demo or a person sees of the sandbox. */
import type { ApiGraph } from './graphEngine/types';
import type { FaultHandle, FaultRule } from './faults/types';
import type { JwtOptions } from './router/tokens';

export type { Fault, FaultAnswer, FaultHandle, FaultRule } from './faults/types';

/** The origins that serve the v2 interface. */
export type ServiceSurface = 'self_hosted' | 'self_hosted_token' | 'hosted' | 'deployment';
export type Surface = ServiceSurface | 'storage' | 'engine' | 'router';
/** Where executions come from; what self_hosted sends its engine counts as self_hosted. */
export type RunSurface = ServiceSurface | 'engine';

/** `local` is whoever calls a self-hosted surface. */
export type AccountName = 'main' | 'other' | 'local';

export type JobStatus = 'queued' | 'running' | 'canceling' | 'succeeded' | 'canceled' | 'failed' | 'expired';

/** How the service behaves where its documents leave a choice. All may be changed while it runs. */
export interface Behaviour {
	/** False: a repeated Idempotency-Key is refused. True: it answers with the job it first made. */
	replaysKeys: boolean;
	/** `null`: the service has not computed hashes yet, so it gives none and knows no bytes by their hash. */
	hashes: 'given' | 'null';
	/** How hosted and deployment write `urls`. Self-hosted links are always absolute, from the Host header. */
	links: 'absolute' | 'relative';
	/** Scheme, host and port of absolute links in place of the true one, as behind a misconfigured front. */
	linkOrigin: string | null;
	/** What `url` of hosted assets and outputs is: a signed storage link, or the content route that redirects to one. */
	assetUrls: 'signed' | 'content';
	/** 404s say `not_found`, or what the public service says: `job_not_found`, `asset_not_found`. */
	notFoundCodes: 'specification' | 'service';
	requestIdHeader: 'X-Service-Request-Id' | 'X-Comfy-Request-Id';
	linkLifetimeSeconds: number;
	/** What storage answers for an expired link. */
	expiredLinkStatus: 400 | 403;
	jobLifetimeMs: number;
	/** Jobs that run at the same time on one surface. 0 lets none start. */
	workers: number;
	progressIntervalMs: number;
	keepAliveMs: number;
	/** Event streams open at the same time on one surface. Null: 8 on self-hosted surfaces, no limit on the others. */
	maxStreams: number | null;
	/** Of self-hosted surfaces, in bytes. The proxy's own default is 100 MB. */
	uploadLimitBytes: number;
	/** Which of v1's documented words its status route uses. */
	v1StatusWords: 'specification' | 'openapi' | 'jobs';
	/** False: v1 has no job list and no job read, as in the bare specification. */
	v1JobsRead: boolean;
	/** How v1 writes an error: `{code, message}`, as the engine does, `{error: text}`, `{message}`, plain text, or nothing. */
	v1ErrorBody: 'code_message' | 'engine' | 'error_text' | 'message_only' | 'text' | 'empty';
	/** How v1 refuses a workflow: 400, or 200 with `error`, or 200 with `node_errors` alone. There is no job in any case. */
	v1Rejections: 'status_400' | 'ok_with_error' | 'ok_with_node_errors';
	/** `inline`: bytes in place of the redirect to storage. */
	v1View: 'redirect' | 'inline';
	v1QueueDelete: 'pending_and_running' | 'pending_only';
	/** On sockets: binary type 4 with JPEG, type 1 with JPEG, or type 1 with PNG. */
	v1Previews: 'metadata' | 'plain' | 'png';
	/** Prompts that the engine, and self_hosted in front of it, runs at the same time; never more than `workers`. */
	engineConcurrency: number;
	/** `whatever_runs`: an interrupt pays no heed to the prompt it names, as in older engines. */
	engineInterrupt: 'by_id' | 'whatever_runs';
	/** `own`: a prompt gets an id of the engine's, whichever it asks for, as in older engines. */
	enginePromptIds: 'asked_for' | 'own';
	/** The error type by which the engine refuses an unknown class; newer ones say `missing_node_type`. */
	engineMissingNode: 'invalid_prompt' | 'missing_node_type';
	/** Whether the engine has `/api/jobs`, as newer ones do. */
	engineJobRoutes: boolean;
	/** The exact `Authorization` without which the engine's front answers 401, WebSockets included. Null: everybody may come in. */
	engineAuthorization: string | null;
	/** Of one upload to the engine, in bytes. */
	engineUploadLimitBytes: number;
	/** Under which path prefix the router's routes exist. */
	routerPrefixes: 'v1' | 'v2' | 'both';
	/** How long the router holds a connection before it answers 504. */
	routerHoldMs: number;
	/** What the router says in `Retry-After`. */
	routerRetryAfterSeconds: number;
	/** Whether the router's replays say again what the original run cost. */
	replayedCredits: 'repeated' | 'absent';
}

export interface SandboxOptions extends Partial<Behaviour> {
	/** The first of seven consecutive ports (self_hosted, self_hosted_token, hosted, deployment, storage, engine, router). Free ones by default. */
	port?: number;
	/** Of a sandbox that was closed, so that callers are still welcome. New ones by default. */
	keys?: Readonly<SandboxKeys>;
	/** A path under which the four service surfaces are mounted, e.g. `/gateway/one`. None by default. */
	mountPrefix?: string;
	/** The same for the engine alone, e.g. `/comfy`; `urls.engine` ends with it. None by default. */
	engineMount?: string;
}

export interface SandboxUrls {
	self_hosted: string;
	self_hosted_token_url: string;
	hosted: string;
	deployment: string;
	storage: string;
	/** What the self_hosted surface is a proxy of. */
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
	/** The same of `other`. */
	otherJwt: string;
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

export interface LedgerRun {
	jobId: string;
	surface: RunSurface;
	account: AccountName;
	idempotencyKey: string | undefined;
	/** sha256, hex, of the submitted graph's JSON. */
	graphHash: string;
	/** The name of the `extra_data` field that carried a partner key, if one did. */
	partnerKeyField: string | undefined;
	at: number;
}

export interface LedgerNode {
	jobId: string;
	nodeId: string;
	classType: string;
	at: number;
}

export interface LedgerCancel {
	jobId: string;
	surface: RunSurface;
	at: number;
}

export interface LedgerRouterRun {
	/** `<provider>/<model>`. */
	model: string;
	account: AccountName;
	idempotencyKey: string | undefined;
	/** A decimal text. */
	credits: string;
	/** Of the request that began it. */
	requestId: string;
	at: number;
}

/** What the router notes of a call that runs a model. */
export interface LedgerRouterCall {
	/** The same as in the answer's header. */
	requestId: string;
	model: string;
	account: AccountName;
	/** 499 when the caller left before the answer. */
	status: number;
	/** The error bucket; null for a success. */
	bucket: string | null;
	at: number;
}

/** What a bill would be written from. */
export interface Ledger {
	/** One per execution that was ordered; a prompt id sent to the engine twice is two. */
	runs: LedgerRun[];
	/** One per node that was computed; a cached node was not. */
	executedNodes: LedgerNode[];
	cancels: LedgerCancel[];
	/** sha256, hex, of every partner key that came, in order. */
	partnerKeys: string[];
	/** One per generation of the router that completed, or was refused by policy and charged. */
	routerRuns: LedgerRouterRun[];
	/** One per call that runs a model, when it is over. */
	routerCalls: LedgerRouterCall[];
}

/** A look at a job as the service holds it. */
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

/** A WebSocket that is open at this moment. */
export interface OpenSocket {
	readonly surface: Surface;
	/** As the caller gave it; null when it gave none. */
	readonly clientId: string | null;
	readonly account: AccountName;
	/** Epoch milliseconds. */
	readonly openedAt: number;
	readonly framesSent: number;
}

export interface Sandbox {
	readonly urls: SandboxUrls;
	readonly keys: SandboxKeys;
	readonly seeds: SandboxSeeds;
	readonly ledger: Ledger;
	/** Makes the next matching requests go wrong. */
	inject(rule: FaultRule): FaultHandle;
	clearFaults(): void;
	/** Requests received, oldest first; `on` as in a fault rule, e.g. `POST /api/v2/jobs`, `GET /api/v2/jobs/:id`. */
	requests(on?: string, surface?: Surface): RecordedRequest[];
	/** The highest number of requests of a route open at the same time. */
	peak(on: string, surface?: Surface): number;
	/** The highest number of jobs in flight (queued, running or canceling) on one surface at the same time. */
	peakJobs(surface: ServiceSurface): number;
	/** Forgets recorded requests and both peaks. */
	resetRecords(): void;
	configure(behaviour: Partial<Behaviour>): void;
	/** Every job costs one credit; unlimited at the start. */
	setCredits(account: AccountName, credits: number): void;
	/** How many jobs may be in flight on one surface before `queue_full`; unlimited at the start. */
	setQueueLimit(jobs: number): void;
	setDeploymentState(state: DeploymentState): void;
	/** An account without a subscription gets 429 for every v1 submission. Active at the start. */
	setSubscription(account: AccountName, active: boolean): void;
	/** The word that v1's status route answers for one job, whatever its state; null for its own again. */
	setV1Status(jobId: string, word: string | null): void;
	/** A new signed-in token for the router, of `main` by default. */
	jwt(options: JwtOptions): string;
	/** Moves on the time by which the router keeps keys, results and cursors. Signed-in tokens go by the true time. */
	advanceClock(ms: number): void;
	/** US cents that an account's calls in flight on the router may commit; null for no limit, as at the start. */
	setSpendLimit(account: AccountName, cents: number | null): void;
	/** Calls of an account in flight on the router; unlimited at the start. Queued requests wait for their turn. */
	setRouterConcurrency(calls: number): void;
	/** Queued requests of an account that may wait before `queue_backlog_full`; unlimited at the start. */
	setRouterBacklog(requests: number): void;
	/** False: every call of the router is refused as `not_enabled`. */
	setRouterEnabled(enabled: boolean): void;
	/** WebSockets open at this moment, oldest first. */
	sockets(surface?: Surface): OpenSocket[];
	/** Destroys the TCP connections of open WebSockets. */
	dropSockets(surface?: Surface): void;
	/** Sends a frame as it is, text or binary, on every open WebSocket. */
	sendFrame(frame: string | Uint8Array, surface?: Surface): void;
	/** Ends a job's retention: reads answer 404. */
	expireJob(jobId: string): void;
	/** The surface loses its records of jobs and keys, as a restarted self-hosted proxy does. */
	forgetJobs(surface: ServiceSurface): void;
	/** The engine loses its queue, its history and its connections, as a new process of it. */
	restartEngine(): void;
	/** The engine's port refuses connections and open ones are cut; what runs goes on. With `restartEngine` it is a process that is gone. */
	stopEngine(): Promise<void>;
	/** It listens again, on the same port. */
	startEngine(): Promise<void>;
	job(jobId: string): SandboxJob | undefined;
	jobs(surface?: ServiceSurface): SandboxJob[];
	/** Ends running jobs and open connections, and removes all stored files. */
	close(): Promise<void>;
}

export type DeploymentState = 'ready' | 'not_ready' | 'stopped';
