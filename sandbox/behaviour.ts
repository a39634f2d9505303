/** How the service behaves where its documents leave a choice. All settings can change while it runs. */
export interface Behaviour {
	/** False: a repeated Idempotency-Key is refused. True: it answers with the job it first made. */
	replaysKeys: boolean;
	/** `null`: the service has not computed hashes yet. It sends none, and finds no bytes by their hash. */
	hashes: 'given' | 'null';
	/** What workflows from hosted and deployment contain: references as they were sent, or content-addressed file names instead. */
	workflowFiles: 'references' | 'names';
	/** How hosted and deployment write `urls`. Self-hosted links are always absolute, from the Host header. */
	links: 'absolute' | 'relative';
	/** Scheme, host and port of absolute links instead of the true ones, as behind a misconfigured reverse proxy. */
	linkOrigin: string | null;
	/** What `url` of hosted assets and outputs is: a signed storage link, or the content route that redirects to one. */
	assetUrls: 'signed' | 'content';
	/** 404s say `not_found`, or what the public service says: `job_not_found`, `asset_not_found`. */
	notFoundCodes: 'specification' | 'service';
	requestIdHeader: 'X-Service-Request-Id' | 'X-Comfy-Request-Id';
	/** Whether answers have the header `Date`, by which the client knows the clock of the service. */
	dateHeader: 'sent' | 'absent';
	linkLifetimeSeconds: number;
	/** What storage answers for an expired link. */
	expiredLinkStatus: 400 | 403;
	jobLifetimeMs: number;
	/** Jobs that run at the same time on one surface. With 0, no job starts. */
	workers: number;
	progressIntervalMs: number;
	/** Whether images pass a SandboxGate. */
	gateOpen: boolean;
	/** How many of the next images at a SandboxGate fail, because the memory of the GPU is full. */
	memoryFailures: number;
	/** Additional duration of each step of a KSampler. */
	samplerStepMs: number;
	keepAliveMs: number;
	/** Event streams open at the same time on one surface. Null: 8 on self-hosted surfaces, no limit on the others. */
	maxStreams: number | null;
	/** Whether job lists contain times. */
	listTimes: 'told' | 'absent';
	/** What a deployment does with labels: stores them and filters by them, ignores them (older gateways), or refuses them (the public demo). */
	labels: 'kept' | 'ignored' | 'refused';
	/** How the last page of a deployment's list represents the missing cursor. */
	lastCursor: 'absent' | 'null' | 'empty';
	/** Largest upload to self-hosted surfaces, in bytes. The proxy's own default is 100 MB. */
	uploadLimitBytes: number;
	/** Which of v1's documented words its status route uses. */
	v1StatusWords: 'specification' | 'openapi' | 'jobs';
	/** False: v1 has no job list and no job read, as in the bare specification. */
	v1JobsRead: boolean;
	/** How v1 writes an error: `{code, message}`, as the engine does, `{error: text}`, `{message}`, plain text, or nothing. */
	v1ErrorBody: 'code_message' | 'engine' | 'error_text' | 'message_only' | 'text' | 'empty';
	/** How v1 refuses a workflow: 400, or 200 with `error`, or 200 with `node_errors` alone. There is no job in any case. */
	v1Rejections: 'status_400' | 'ok_with_error' | 'ok_with_node_errors';
	/** `inline`: bytes instead of a redirect to storage. */
	v1View: 'redirect' | 'inline';
	v1QueueDelete: 'pending_and_running' | 'pending_only';
	/** On sockets: binary type 4 with JPEG, type 1 with JPEG, or type 1 with PNG. */
	v1Previews: 'metadata' | 'plain' | 'png';
	/** Prompts that the engine, and self_hosted in front of it, run at the same time; at most `workers`. */
	engineConcurrency: number;
	/** `whatever_runs`: an interrupt ignores the prompt that it names, as in older engines. */
	engineInterrupt: 'by_id' | 'whatever_runs';
	/** `own`: the engine chooses the id of each prompt, as older engines do. */
	enginePromptIds: 'asked_for' | 'own';
	/** The error type by which the engine refuses an unknown class; newer ones say `missing_node_type`. */
	engineMissingNode: 'invalid_prompt' | 'missing_node_type';
	/** Whether the engine has `/api/jobs`, as newer ones do. */
	engineJobRoutes: boolean;
	/**
	 * Whether the engine has the route by which the proxy cancels. Without it, as in older engines, the proxy answers the same,
	 * and the job continues. This is separate from `engineJobRoutes`, so that tests of the proxy need not choose an engine.
	 */
	engineCancels: boolean;
	/** The exact `Authorization` that the engine's reverse proxy requires, also for WebSockets. It answers 401 otherwise. Null: none. */
	engineAuthorization: string | null;
	/** What the engine lists for its editor: files with size and times, only names as in older engines, or nothing. */
	engineUserdata: 'full' | 'names' | 'absent';
	/** The unit of their times: whole milliseconds, or seconds with a fraction as before May 2026. */
	engineUserdataTimes: 'milliseconds' | 'seconds';
	/** With `--multi-user`: the names of the users by id. Null: one user. */
	engineUsers: Readonly<Record<string, string>> | null;
	/** The model files of the engine by their folders. Null: a few of each kind. */
	engineModels: Readonly<Record<string, readonly string[]>> | null;
	/** Whether the engine lists models with sizes and times, as newer ones do. */
	engineModelDetails: 'there' | 'absent';
	/** Whether the engine can free its memory. `ignored`: it accepts the request and keeps its models. */
	engineFree: 'there' | 'absent' | 'ignored';
	/** What the engine computes on. A CPU has free memory at once, a GPU frees it in steps. */
	engineDevice: 'cpu' | 'cuda';
	/** How long a GPU needs to unload all models, in milliseconds. A real one needs 1,000 to 8,000. */
	engineFreeMs: number;
	/** Whether the engine has templates. */
	engineTemplates: 'there' | 'absent';
	/** Whether a reverse proxy in front of the engine decodes the paths of requests. */
	engineDecodedPaths: boolean;
	/** Whether v1 stores files for the editor. */
	v1Userdata: 'there' | 'absent';
	/** Largest upload to the engine, in bytes. */
	engineUploadLimitBytes: number;
	/** Under which path prefix the router's routes exist. */
	routerPrefixes: 'v1' | 'v2' | 'both';
	/** After how long the router answers 504 to a call that still runs. */
	routerHoldMs: number;
	/** The router's `Retry-After`. */
	routerRetryAfterSeconds: number;
	/** Whether the router's replays contain the cost of the original run. */
	replayedCredits: 'repeated' | 'absent';
}

const HOUR_SECONDS = 60 * 60;

/** The behaviour of a service that follows the specification exactly. */
export const DEFAULT_BEHAVIOUR: Readonly<Behaviour> = {
	replaysKeys: false,
	hashes: 'given',
	workflowFiles: 'references',
	links: 'absolute',
	linkOrigin: null,
	assetUrls: 'signed',
	notFoundCodes: 'specification',
	requestIdHeader: 'X-Service-Request-Id',
	dateHeader: 'sent',
	linkLifetimeSeconds: HOUR_SECONDS,
	expiredLinkStatus: 400,
	jobLifetimeMs: 24 * HOUR_SECONDS * 1000,
	workers: 4,
	progressIntervalMs: 500,
	gateOpen: true,
	memoryFailures: 0,
	samplerStepMs: 0,
	keepAliveMs: 15_000,
	maxStreams: null,
	listTimes: 'told',
	labels: 'kept',
	lastCursor: 'absent',
	uploadLimitBytes: 1024 * 1024 * 1024,
	v1StatusWords: 'specification',
	v1JobsRead: true,
	v1ErrorBody: 'code_message',
	v1Rejections: 'status_400',
	v1View: 'redirect',
	v1QueueDelete: 'pending_and_running',
	v1Previews: 'metadata',
	engineConcurrency: 1,
	engineInterrupt: 'by_id',
	enginePromptIds: 'asked_for',
	engineMissingNode: 'invalid_prompt',
	engineJobRoutes: false,
	engineCancels: true,
	engineAuthorization: null,
	engineUserdata: 'full',
	engineUserdataTimes: 'milliseconds',
	engineUsers: null,
	engineModels: null,
	engineModelDetails: 'there',
	engineFree: 'there',
	engineDevice: 'cpu',
	engineFreeMs: 2_000,
	engineTemplates: 'there',
	engineDecodedPaths: false,
	v1Userdata: 'there',
	engineUploadLimitBytes: 100 * 1024 * 1024,
	routerPrefixes: 'both',
	routerHoldMs: 10 * 60 * 1000,
	routerRetryAfterSeconds: 1,
	replayedCredits: 'absent',
};
