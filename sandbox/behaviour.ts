/** How the service behaves where its documents leave a choice. All may be changed while it runs. */
export interface Behaviour {
	/** False: a repeated Idempotency-Key is refused. True: it answers with the job it first made. */
	replaysKeys: boolean;
	/** `null`: the service has not computed hashes yet, so it gives none and knows no bytes by their hash. */
	hashes: 'given' | 'null';
	/** Whether the workflows that hosted and deployment hand out hold references as they were sent, or in their place the names of files by their content. */
	workflowFiles: 'references' | 'names';
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
	/** Whether images pass a SandboxGate. */
	gateOpen: boolean;
	/** What each step of a KSampler takes beside its work. */
	samplerStepMs: number;
	keepAliveMs: number;
	/** Event streams open at the same time on one surface. Null: 8 on self-hosted surfaces, no limit on the others. */
	maxStreams: number | null;
	/** Whether the items of job lists tell any time. */
	listTimes: 'told' | 'absent';
	/** What a deployment does with labels: keeps and filters by them, pays them no heed (older gateways), or refuses them (the public demo). */
	labels: 'kept' | 'ignored' | 'refused';
	/** What stands for the cursor on the last page of a deployment's list. */
	lastCursor: 'absent' | 'null' | 'empty';
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
	/**
	 * Whether the engine heeds the route by which the proxy cancels. Older ones lack it: the proxy answers the same, and the job
	 * goes on. It stands apart from `engineJobRoutes`, so that a test of the proxy need not choose an engine.
	 */
	engineCancels: boolean;
	/** The exact `Authorization` without which the engine's front answers 401, WebSockets included. Null: everybody may come in. */
	engineAuthorization: string | null;
	/** What the engine keeps for its editor: files with size and times, names alone as in older engines, or nothing. */
	engineUserdata: 'full' | 'names' | 'absent';
	/** In what the engine writes their times: whole milliseconds, or seconds with a fraction as before May 2026. */
	engineUserdataTimes: 'milliseconds' | 'seconds';
	/** With `--multi-user`: names by id. Null: there is one user. */
	engineUsers: Readonly<Record<string, string>> | null;
	/** Whether the engine brings templates. */
	engineTemplates: 'there' | 'absent';
	/** Something before the engine decodes the paths of requests on their way. */
	engineDecodedPaths: boolean;
	/** Whether v1 keeps files for the editor. */
	v1Userdata: 'there' | 'absent';
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

const HOUR_SECONDS = 60 * 60;

/** What a service that follows the specification to the letter does. */
export const DEFAULT_BEHAVIOUR: Readonly<Behaviour> = {
	replaysKeys: false,
	hashes: 'given',
	workflowFiles: 'references',
	links: 'absolute',
	linkOrigin: null,
	assetUrls: 'signed',
	notFoundCodes: 'specification',
	requestIdHeader: 'X-Service-Request-Id',
	linkLifetimeSeconds: HOUR_SECONDS,
	expiredLinkStatus: 400,
	jobLifetimeMs: 24 * HOUR_SECONDS * 1000,
	workers: 4,
	progressIntervalMs: 500,
	gateOpen: true,
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
	engineTemplates: 'there',
	engineDecodedPaths: false,
	v1Userdata: 'there',
	engineUploadLimitBytes: 100 * 1024 * 1024,
	routerPrefixes: 'both',
	routerHoldMs: 10 * 60 * 1000,
	routerRetryAfterSeconds: 1,
	replayedCredits: 'absent',
};
