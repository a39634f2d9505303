import type { Decoder, ServiceApi } from '../../requests/serviceApi';
import { firstOfEach, isRecord, type JsonRecord } from '../../json/decode';
import { AnswerError, ApiError, GraphError, type ServiceName, UnreadableAnswerError } from '../../errors/errors';
import { isPathSegment } from '../../text/identifiers';
import type { CallOptions } from '../../ports/jobService';
import type { SavedWorkflow, WorkflowLibrary, WorkflowTemplate } from '../../ports/library';
import { outcomeOf } from '../../async/outcome';
import { parseExact } from '../../json/exactJson';
import type { HttpResponse } from '../../transport/response';
import { decodeBlueprintData, decodeBlueprints, decodePackTemplates, decodeSavedWorkflows, decodeTemplateIndex } from './decodeLibrary';

/** In the user's folder on the server: the workflows and the blueprints. */
type SavedFolder = 'workflows' | 'subgraphs';

/** Older versions ignore `full_info`, the hosted service ignores `split`. */
const listPath = (folder: SavedFolder): string => `/userdata?dir=${folder}&recurse=true&split=false&full_info=true`;

/** The name of a saved blueprint begins with its folder. */
const SAVED_BLUEPRINT = 'subgraphs/';
/** The group that the editor shows for them. */
const SAVED_BLUEPRINT_GROUP = 'My Blueprints';

/** ComfyUI's answer for a user who has saved nothing yet. The 404 of a missing route has a different text. */
const NO_FOLDER = /directory not found/i;

const MANY_USERS = 'many_users';

const BLUEPRINTS = '/global_subgraphs';
const BLUEPRINT_NOT_FOUND = 'blueprint_not_found';
const ENDING = '.json';

const isAnswered = (error: unknown, ...statuses: number[]): boolean => error instanceof AnswerError && statuses.includes(error.status);

/** Whether the answer means that this server keeps no workflows. */
const hasNoLibrary = (error: unknown): boolean =>
	isAnswered(error, 403, 404, 405, 501) || (error instanceof UnreadableAnswerError && error.facts.reason === 'html' && error.status < 500);

/** The workflows that ComfyUI keeps for its editor: those that its user saved, and templates. */
export class ServerLibrary implements WorkflowLibrary {
	readonly interface: 'v1' | 'engine';

	constructor(
		private readonly api: ServiceApi,
		name: 'v1' | 'engine',
	) {
		this.interface = name;
	}

	/** @throws ApiError `no_library` if the server keeps no workflows, `many_users` if it keeps them for each user separately. */
	async list(options: CallOptions = {}): Promise<SavedWorkflow[]> {
		return await this.listFolder('workflows', options);
	}

	private async listFolder(folder: SavedFolder, { signal }: CallOptions): Promise<SavedWorkflow[]> {
		const listed = await outcomeOf(this.api.repeat(async () => await this.listOnce(folder, signal), { signal }));
		if (listed.ok) return listed.value;
		if (listed.error instanceof ApiError && listed.error.status === 404 && NO_FOLDER.test(listed.error.message)) return [];
		if (listed.error instanceof ApiError && listed.error.code === MANY_USERS) throw listed.error;
		throw hasNoLibrary(listed.error) ? this.toError('no_library', 501, 'No workflows are kept here') : listed.error;
	}

	private async listOnce(folder: SavedFolder, signal: AbortSignal | undefined): Promise<SavedWorkflow[]> {
		const listed = await outcomeOf(this.get(this.api.url(listPath(folder)), decodeSavedWorkflows, signal));
		if (listed.ok) return listed.value;
		if (isAnswered(listed.error, 500)) await this.requireOneUser(signal);
		throw listed.error;
	}

	/** With `--multi-user`, ComfyUI answers 500 to a request without a user, and lists the users to everybody. */
	private async requireOneUser(signal: AbortSignal | undefined): Promise<void> {
		const users = await outcomeOf(this.get(this.api.url('/users'), (json) => isRecord(json) && isRecord(json.users), signal));
		if (users.ok && users.value) throw this.toError(MANY_USERS, 501, 'Workflows are kept for each user apart');
	}

	/** @throws ApiError `workflow_not_found`, `workflow_too_large`; GraphError if the file contains no workflow. */
	async read(path: string, options: CallOptions = {}): Promise<JsonRecord> {
		return await this.readFrom('workflows', path, 'workflow_not_found', options);
	}

	/** @param missingCode of the error for a missing file. */
	private async readFrom(folder: SavedFolder, path: string, missingCode: string, options: CallOptions): Promise<JsonRecord> {
		requireSafePath(path, this.interface, missingCode);
		const name = `${folder}/${path}`;
		const read = await outcomeOf(this.readFile(this.api.url(`/userdata/${encodeSavedPath(name, 1)}`), options));
		if (read.ok) return read.value;
		if (!isAnswered(read.error, 404)) throw read.error;
		const again = await outcomeOf(this.readFile(this.api.url(`/userdata/${encodeSavedPath(name, 2)}`), options));
		if (again.ok) return again.value;
		throw isAnswered(again.error, 404) ? this.toError(missingCode, 404, path, { path }) : again.error;
	}

	async templates({ signal }: CallOptions = {}): Promise<WorkflowTemplate[]> {
		const [own, packs] = await Promise.all([
			this.listTemplates(this.siteUrl('/templates/index.json'), decodeTemplateIndex, signal),
			this.listTemplates(this.api.url('/workflow_templates'), decodePackTemplates, signal),
		]);
		// A template may be in several groups.
		return firstOfEach([...own, ...packs], ({ name }) => name);
	}

	/** @throws ApiError `template_not_found`. */
	async template(name: string, options: CallOptions = {}): Promise<JsonRecord> {
		requireSafePath(name, this.interface, 'template_not_found');
		const file = `${name.split('/').map(encodeURIComponent).join('/')}.json`;
		const url = name.includes('/') ? this.api.url(`/workflow_templates/${file}`) : this.siteUrl(`/templates/${file}`);
		const read = await outcomeOf(this.readFile(url, options));
		if (read.ok) return read.value;
		throw hasNoLibrary(read.error) ? this.toError('template_not_found', 404, name, { name }) : read.error;
	}

	async savedBlueprints(options: CallOptions = {}): Promise<WorkflowTemplate[]> {
		const listed = await outcomeOf(this.listFolder('subgraphs', options));
		if (!listed.ok && !(listed.error instanceof ApiError && ['no_library', MANY_USERS].includes(listed.error.code))) throw listed.error;
		const titles = (listed.ok ? listed.value : []).flatMap(({ path }) => (path.endsWith(ENDING) ? path.slice(0, -ENDING.length) : []));
		return titles.map((title) => ({ name: `${SAVED_BLUEPRINT}${title}`, title, description: '', group: SAVED_BLUEPRINT_GROUP }));
	}

	async blueprints({ signal }: CallOptions = {}): Promise<WorkflowTemplate[]> {
		const decode = (value: unknown): WorkflowTemplate[] => decodeBlueprints(value).map(({ blueprint }) => blueprint);
		const listed = await this.listTemplates(this.api.url(BLUEPRINTS), decode, signal);
		return firstOfEach(listed, ({ name }) => name);
	}

	async blueprint(name: string, options: CallOptions = {}): Promise<JsonRecord> {
		if (!name.startsWith(SAVED_BLUEPRINT)) return parseBlueprint(name, await this.readBlueprintData(name, options));
		const path = `${name.slice(SAVED_BLUEPRINT.length)}${ENDING}`;
		const read = await outcomeOf(this.readFrom('subgraphs', path, BLUEPRINT_NOT_FOUND, options));
		if (read.ok) return read.value;
		throw read.error instanceof GraphError && 'detail' in read.error.facts ? notABlueprint(name, read.error.facts.detail) : read.error;
	}

	/** The list has the ID of each name. A blueprint may disappear between both requests. */
	private async readBlueprintData(name: string, { signal }: CallOptions): Promise<string> {
		const listed = await outcomeOf(this.api.read(this.api.url(BLUEPRINTS), decodeBlueprints, { signal }));
		if (!listed.ok && !hasNoLibrary(listed.error)) throw listed.error;
		const found = listed.ok ? listed.value.find(({ blueprint }) => blueprint.name === name) : undefined;
		const url = found && this.api.url(`${BLUEPRINTS}/${encodeURIComponent(found.id)}`);
		const data = url && (await this.api.read(url, decodeBlueprintData, { signal }));
		if (data === undefined || data === null) throw this.toError(BLUEPRINT_NOT_FOUND, 404, name, { name });
		return data;
	}

	/** Returns an address of the web interface, which is not below the API's path. */
	private siteUrl(path: string): URL {
		return new URL(`${this.api.address.origin}${this.api.address.prefix}${path}`);
	}

	/** Returns an empty list if the server has no templates. */
	private async listTemplates(url: URL, decode: Decoder<WorkflowTemplate[]>, signal: AbortSignal | undefined): Promise<WorkflowTemplate[]> {
		const listed = await outcomeOf(this.api.read(url, decode, { signal }));
		if (listed.ok) return listed.value;
		if (hasNoLibrary(listed.error) || listed.error instanceof UnreadableAnswerError) return [];
		throw listed.error;
	}

	private async get<T>(url: URL, decode: Decoder<T>, signal: AbortSignal | undefined): Promise<T> {
		return await this.api.call({ method: 'GET', url, signal }, decode);
	}

	private async readFile(url: URL, { signal }: CallOptions): Promise<JsonRecord> {
		const once = async (): Promise<JsonRecord> => await readWorkflow(await this.api.send({ method: 'GET', url, signal }), this.interface);
		return await this.api.repeat(once, { signal });
	}

	private toError(code: string, status: number, message: string, details?: JsonRecord): ApiError {
		return new ApiError({ interface: this.interface, code, status, message, details });
	}
}

/** @throws ApiError `code` if a segment of the path is empty or leads outside of the folder. */
function requireSafePath(path: string, name: ServiceName, code: string): void {
	if (path.split('/').every((segment) => isPathSegment(segment) && !segment.includes('\0'))) return;
	throw new ApiError({ interface: name, code, status: 404, message: 'The file name is not valid', details: { path } });
}

/**
 * Encodes the whole path of a user's file as one segment of a route.
 * @param times 2 if a server in front of ComfyUI decodes the path once.
 */
function encodeSavedPath(path: string, times: number): string {
	let segment = path;
	for (let count = 0; count < times; count++) segment = encodeURIComponent(segment);
	return segment;
}

const notABlueprint = (name: string, detail: string): GraphError => new GraphError({ fault: 'not_a_blueprint', name, detail });

function parseBlueprint(name: string, text: string): JsonRecord {
	const parsed = parseText(name, text);
	if (isRecord(parsed)) return parsed;
	throw notABlueprint(name, 'the file is not a JSON object');
}

function parseText(name: string, text: string): unknown {
	try {
		return parseExact(text.replace(/^\uFEFF/, ''));
	} catch (error) {
		throw notABlueprint(name, `the file is not valid JSON (${(error as SyntaxError).message})`);
	}
}

/** The largest shared workflows have a few megabytes, because they contain images. */
const LONGEST_WORKFLOW_BYTES = 32 * 1024 * 1024;

/** @throws ApiError `workflow_too_large`; GraphError `not_json` or `not_a_graph` if the file contains no workflow. */
async function readWorkflow(response: HttpResponse, name: ServiceName): Promise<JsonRecord> {
	const text = await response.withTotalLimit(async () => await readBounded(response, name));
	// An editor may have written a byte order mark.
	const workflow = await parseStoredWorkflow(response, text.replace(/^\uFEFF/, ''));
	if (!isRecord(workflow)) throw new GraphError({ fault: 'not_a_graph', detail: 'the file is not a JSON object' });
	return workflow;
}

/** A damaged file is a GraphError. An UnreadableAnswerError would count as a cut answer, and be requested again. */
async function parseStoredWorkflow(response: HttpResponse, text: string): Promise<unknown> {
	const read = await outcomeOf((async () => response.parseJson(text, { exactNumbers: true }))());
	if (read.ok) return read.value;
	if (!(read.error instanceof UnreadableAnswerError) || read.error.facts.reason === 'html') throw read.error;
	throw new GraphError({
		fault: 'not_json',
		detail: text.trim() === '' ? 'the file is empty' : 'the file is damaged or is not a workflow',
	});
}

async function readBounded(response: HttpResponse, name: ServiceName): Promise<string> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	if ((response.sizeBytes ?? 0) > LONGEST_WORKFLOW_BYTES) {
		await response.discard();
		throw tooLargeError(name);
	}
	for await (const chunk of response.chunks()) {
		length += chunk.byteLength;
		if (length > LONGEST_WORKFLOW_BYTES) throw tooLargeError(name);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks, length).toString('utf8');
}

const tooLargeError = (name: ServiceName): ApiError =>
	new ApiError({
		interface: name,
		code: 'workflow_too_large',
		status: 413,
		message: `More than ${LONGEST_WORKFLOW_BYTES / 1024 / 1024} MB`,
		details: { longest_bytes: LONGEST_WORKFLOW_BYTES },
	});
