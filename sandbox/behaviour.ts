/** The switches of the sandbox. Each changes the behaviour where the documents leave a choice, or where servers differ. */

/** One entry of `/node_replacements`. */
export interface NodeReplacement {
	new_node_id: string;
	old_node_id: string;
	old_widget_ids: string[] | null;
	input_mapping: Array<{ new_id: string; old_id?: string; set_value?: unknown }> | null;
	output_mapping: Array<{ new_idx: number; old_idx: number }> | null;
}

/** By retired class. */
export type NodeReplacements = Readonly<Record<string, readonly NodeReplacement[]>>;

/** `first` applies at the start. `where` names the part of the sandbox. Tests can change each switch at any time. */
interface Switch<Value> {
	first: Value;
	where: string;
	does: string;
}

const isOn = (first: boolean, where: string, does: string): Switch<boolean> => ({ first, where, does });
const count = (first: number, where: string, does: string): Switch<number> => ({ first, where, does });
const given = <Value>(where: string, does: string): Switch<Value | null> => ({ first: null, where, does });

/** The words are the values of the switch; it starts with the first. */
const word = <Word extends string | number>([first]: readonly [Word, ...Word[]], where: string, does: string): Switch<Word> => ({
	first,
	where,
	does,
});

const MIB = 1024 * 1024;

const SWITCHES = {
	replaysKeys: isOn(false, 'v2', 'Answers a repeated Idempotency-Key with its first job. Otherwise it refuses the key.'),
	editorFiles: word(['refused', 'accepted'], 'v2', 'Whether a submission can contain the file of the editor, `extra_pnginfo`.'),
	hashes: word(['given', 'null'], 'v2', 'With `null`, it has not computed hashes: it sends none, and finds no bytes by their hash.'),
	workflowFiles: word(['references', 'names'], 'v2 without proxy', 'How a workflow names its files. Names are content-addressed.'),
	links: word(['absolute', 'relative'], 'v2 without proxy', 'How it writes `urls`. The proxy writes absolute ones, from the Host header.'),
	linkOrigin: given<string>('v2', 'Scheme, host and port of absolute links, as behind a misconfigured reverse proxy.'),
	assetUrls: word(['signed', 'content'], 'v2 without proxy', '`url` is a signed storage link, or a route that redirects to one.'),
	notFoundCodes: word(['specification', 'service'], 'v2', 'A 404 says `not_found`, or `job_not_found` and `asset_not_found`.'),
	requestIdHeader: word(['X-Service-Request-Id', 'X-Comfy-Request-Id'], 'all', 'How it spells the vendor prefix of headers.'),
	dateHeader: word(['sent', 'absent'], 'all', 'Whether answers have `Date`, by which the client knows the clock of the service.'),
	expiredLinkStatus: word([400, 403], 'storage', 'The answer to an expired link.'),
	workers: count(4, 'jobs', 'Jobs that run at the same time on one surface. With 0, no job starts.'),
	progressIntervalMs: count(500, 'jobs', 'The least time between two progress events.'),
	gateOpen: isOn(true, 'SandboxGate', 'Whether images pass.'),
	memoryFailures: count(0, 'SandboxGate', 'How many of the next images fail, because the memory of the GPU is full.'),
	samplerStepMs: count(0, 'KSampler', 'Additional duration of each step.'),
	maxStreams: given<number>('v2', 'Event streams open at the same time on one surface. Null: 8 on proxies, no limit on the others.'),
	listTimes: word(['told', 'absent'], 'v2', 'Whether job lists contain times.'),
	labels: word(['kept', 'ignored', 'refused'], 'deployment', 'Older gateways ignore labels, and the public demo refuses them.'),
	lastCursor: word(['absent', 'null', 'empty'], 'deployment', 'How the last page of a list represents the missing cursor.'),
	v1JobsRead: isOn(true, 'v1', 'Whether it has a job list and a job read. The bare specification has none.'),
	v1Rejections: word(['status_400', 'ok_with_error', 'ok_with_node_errors'], 'v1', 'How it refuses a workflow: 400, or 200 with errors.'),
	v1View: word(['redirect', 'inline'], 'v1', 'Whether it redirects to storage, or sends the bytes.'),
	v1QueueDelete: word(['pending_and_running', 'pending_only'], 'v1', 'Which jobs a deletion from the queue stops.'),
	v1Userdata: word(['there', 'absent'], 'v1', 'Whether it stores files for the editor.'),
	engineConcurrency: count(1, 'engine', 'Prompts that the engine and the proxy in front of it run at the same time; at most `workers`.'),
	engineInterrupt: word(['by_id', 'whatever_runs'], 'engine', 'Older engines ignore the prompt that an interrupt names.'),
	enginePromptIds: word(['asked_for', 'own'], 'engine', 'Older engines choose the ID of each prompt, and do not know their version.'),
	engineMissingNode: word(['invalid_prompt', 'missing_node_type'], 'engine', 'The error type for an unknown class. Newer: the second.'),
	engineJobRoutes: isOn(false, 'engine', 'Whether it has `/api/jobs`, as newer engines do.'),
	engineCancelRoutes: isOn(true, 'engine', 'Whether it can cancel below `/api/jobs`. ComfyUI 0.6 to 0.25 only lists and reads jobs there.'),
	engineJobStatuses: word([5, 4], 'engine', 'The number of statuses in its list. With 4, canceled jobs are listed as failed.'),
	// Separate from `engineJobRoutes`, so that tests of the proxy need not choose an engine.
	engineCancels: isOn(true, 'proxies', 'Whether the engine can cancel. Otherwise the proxy answers the same, and the job continues.'),
	engineAuthorization: given<string>('engine', 'The `Authorization` that its reverse proxy requires. It answers 401 otherwise.'),
	engineUserdata: word(['full', 'names', 'absent'], 'engine', 'What it lists for its editor. Older engines list only names.'),
	engineUserdataTimes: word(['milliseconds', 'seconds'], 'engine', 'The unit of their times. Seconds, with a fraction, before May 2026.'),
	nodeReplacements: given<NodeReplacements>(
		'engine, v1',
		'By retired class, what `/node_replacements` answers. Null: the route does not exist.',
	),
	engineUsers: given<Readonly<Record<string, string>>>('engine', 'With `--multi-user`: the names of the users by ID. Null: one user.'),
	engineModels: given<Readonly<Record<string, readonly string[]>>>('engine', 'Model files by folder. Null: a few of each kind.'),
	engineModelDetails: word(['there', 'absent'], 'engine', 'Whether it lists models with sizes and times, as newer engines do.'),
	engineFree: word(['there', 'absent', 'ignored'], 'engine', 'Whether it can free its memory. `ignored`: it accepts the request only.'),
	engineLog: word(['there', 'absent'], 'engine', 'Whether it has `/internal/logs/raw`. Older engines do not.'),
	engineDevice: word(['cpu', 'cuda'], 'engine', 'A CPU has free memory at once. A GPU frees it in steps.'),
	engineFreeMs: count(2_000, 'engine', 'How long a GPU needs to unload all models. A real one needs 1,000 to 8,000 ms.'),
	engineTemplates: word(['there', 'absent'], 'engine', 'Whether it has templates.'),
	engineBlueprints: word(['there', 'absent'], 'engine', 'Whether it has `/global_subgraphs`, as since version 0.9.2.'),
	engineDecodedPaths: isOn(false, 'engine', 'Whether a reverse proxy in front of it decodes the paths of requests.'),
	engineUploadLimitBytes: count(100 * MIB, 'engine', 'The largest upload.'),
	routerPrefixes: word(['both', 'v1', 'v2'], 'router', 'Under which path prefix its routes exist.'),
	routerHoldMs: count(10 * 60 * 1000, 'router', 'After how long it answers 504 to a call that still runs.'),
	routerRetryAfterSeconds: count(1, 'router', 'Its `Retry-After`.'),
	routerExtraModels: count(0, 'router', 'How many more models its catalog lists.'),
};

export type Behaviour = { -readonly [Name in keyof typeof SWITCHES]: (typeof SWITCHES)[Name]['first'] };

/** The behaviour of a service that follows the specification exactly. */
export const DEFAULT_BEHAVIOUR = Object.fromEntries(
	Object.entries(SWITCHES).map(([name, { first }]) => [name, first]),
) as unknown as Readonly<Behaviour>;
