import type { Decoder, ServiceApi } from '../../api';
import { isRecord, type JsonRecord } from '../../decode';
import { AnswerError, ApiError, UnreadableAnswerError } from '../../errors';
import type { CallOptions, SavedWorkflow, WorkflowLibrary, WorkflowTemplate } from '../../ports';
import { outcomeOf } from '../../transport/outcome';
import { decodeSaved } from './decodeSaved';
import { decodeIndex, decodePacks } from './decodeTemplates';
import { readWorkflow } from './readWorkflow';
import { checkedSteps, SAVED_FOLDER, savedStep } from './savedPath';

/** Older versions take no notice of `full_info`, the hosted one of `split`. */
const LIST = `/userdata?dir=${SAVED_FOLDER}&recurse=true&split=false&full_info=true`;

/** ComfyUI's own words for a user who has saved nothing yet; a route that is not there has others, or none. */
const NO_FOLDER = /directory not found/i;

const MANY_USERS = 'many_users';

const isAnswered = (error: unknown, ...statuses: number[]): boolean => error instanceof AnswerError && statuses.includes(error.status);

const isNotFound = (error: unknown): boolean => isAnswered(error, 404);

/** What answers like this keeps no workflows, whatever else it is. */
const isElsewhere = (error: unknown): boolean =>
	isAnswered(error, 403, 404, 405, 501) || (error instanceof UnreadableAnswerError && error.facts.reason === 'html' && error.status < 500);

/** What ComfyUI keeps for its editor, as engines give it and whatever passes their routes through. */
export class ServerLibrary implements WorkflowLibrary {
	readonly interface: 'v1' | 'engine';

	constructor(
		private readonly api: ServiceApi,
		name: 'v1' | 'engine',
	) {
		this.interface = name;
	}

	/** @throws ApiError `no_library` where nothing is kept, `many_users` where it is for each user apart. */
	async list({ signal }: CallOptions = {}): Promise<SavedWorkflow[]> {
		const listed = await outcomeOf(this.api.repeat(async () => await this.listOnce(signal), { signal }));
		if (listed.ok) return listed.value;
		if (listed.error instanceof ApiError && listed.error.status === 404 && NO_FOLDER.test(listed.error.message)) return [];
		if (listed.error instanceof ApiError && listed.error.code === MANY_USERS) throw listed.error;
		throw isElsewhere(listed.error) ? this.refusal('no_library', 501, 'No workflows are kept here') : listed.error;
	}

	private async listOnce(signal: AbortSignal | undefined): Promise<SavedWorkflow[]> {
		const listed = await outcomeOf(this.get(this.api.url(LIST), decodeSaved, signal));
		if (listed.ok) return listed.value;
		if (isAnswered(listed.error, 500)) await this.requireOneUser(signal);
		throw listed.error;
	}

	/** With `--multi-user` it chokes on whoever does not say who he is, and tells anybody who there is. */
	private async requireOneUser(signal: AbortSignal | undefined): Promise<void> {
		const asked = await outcomeOf(this.get(this.api.url('/users'), (json) => isRecord(json) && isRecord(json.users), signal));
		if (asked.ok && asked.value) throw this.refusal(MANY_USERS, 501, 'Workflows are kept for each user apart');
	}

	/** @throws ApiError `workflow_not_found`, `workflow_too_large`; GraphError for a file that holds none. */
	async read(path: string, options: CallOptions = {}): Promise<JsonRecord> {
		checkedSteps(path, this.interface, 'workflow_not_found');
		const read = await outcomeOf(this.file(this.api.url(`/userdata/${savedStep(path, 1)}`), options));
		if (read.ok) return read.value;
		if (!isNotFound(read.error)) throw read.error;
		const again = await outcomeOf(this.file(this.api.url(`/userdata/${savedStep(path, 2)}`), options));
		if (again.ok) return again.value;
		throw isNotFound(again.error) ? this.refusal('workflow_not_found', 404, path, { path }) : again.error;
	}

	async templates({ signal }: CallOptions = {}): Promise<WorkflowTemplate[]> {
		const [own, packs] = await Promise.all([
			this.whereKept(this.site('/templates/index.json'), decodeIndex, signal),
			this.whereKept(this.api.url('/workflow_templates'), decodePacks, signal),
		]);
		const told = new Set<string>();
		// One may stand in several groups.
		return [...own, ...packs].filter(({ name }) => !told.has(name) && told.add(name));
	}

	/** @throws ApiError `template_not_found`. */
	async template(name: string, options: CallOptions = {}): Promise<JsonRecord> {
		checkedSteps(name, this.interface, 'template_not_found');
		const file = `${name.split('/').map(encodeURIComponent).join('/')}.json`;
		const url = name.includes('/') ? this.api.url(`/workflow_templates/${file}`) : this.site(`/templates/${file}`);
		const read = await outcomeOf(this.file(url, options));
		if (read.ok) return read.value;
		throw isElsewhere(read.error) ? this.refusal('template_not_found', 404, name, { name }) : read.error;
	}

	/** Of the web interface: no route of the API. */
	private site(path: string): URL {
		return new URL(`${this.api.address.origin}${this.api.address.prefix}${path}`);
	}

	/** None from servers that do not have them. */
	private async whereKept(url: URL, decode: Decoder<WorkflowTemplate[]>, signal: AbortSignal | undefined): Promise<WorkflowTemplate[]> {
		const listed = await outcomeOf(this.api.read(url, decode, { signal }));
		if (listed.ok) return listed.value;
		if (isElsewhere(listed.error) || listed.error instanceof UnreadableAnswerError) return [];
		throw listed.error;
	}

	private async get<T>(url: URL, decode: Decoder<T>, signal: AbortSignal | undefined): Promise<T> {
		return await this.api.call({ method: 'GET', url, signal }, decode);
	}

	private async file(url: URL, { signal }: CallOptions): Promise<JsonRecord> {
		const once = async (): Promise<JsonRecord> => await readWorkflow(await this.api.send({ method: 'GET', url, signal }), this.interface);
		return await this.api.repeat(once, { signal });
	}

	private refusal(code: string, status: number, message: string, details?: JsonRecord): ApiError {
		return new ApiError({ interface: this.interface, code, status, message, details });
	}
}
