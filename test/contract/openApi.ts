/** A description from contract/ as something that answers can be held against. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020, { type ErrorObject } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

const METHODS = ['get', 'head', 'post', 'put', 'delete'] as const;

interface ResponseObject {
	$ref?: string;
	headers?: Record<string, { required?: boolean }>;
	content?: Record<string, { 'x-events'?: Record<string, unknown> }>;
}

interface Description {
	servers: Root[];
	paths: Record<
		string,
		Partial<Record<(typeof METHODS)[number], { operationId: string; responses: Record<string, ResponseObject> }>> & { servers?: Root[] }
	>;
	components: { responses: Record<string, ResponseObject>; schemas: Record<string, unknown> };
}

interface Root {
	url: string;
}

interface Operation {
	id: string;
	method: string;
	/** Below the description's server, with `{name}` for parameters. */
	path: string;
	/** The starts of its addresses, without the slash at the end. */
	roots: string[];
	statuses: number[];
}

interface Answer {
	status: number;
	headers: Headers;
	body: Buffer;
}

interface SentEvent {
	name: string;
	data: unknown;
}

export class OpenApi {
	readonly operations: ReadonlyMap<string, Operation>;
	readonly #description: Description;
	readonly #ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));

	/** @param file its name in contract/. */
	constructor(file: string) {
		this.#description = parse(readFileSync(join(__dirname, '..', '..', 'contract', file), 'utf8'), {
			merge: true,
			maxAliasCount: -1,
		}) as Description;
		this.#ajv.addSchema(this.#description, 'contract');
		this.operations = new Map(operationsOf(this.#description));
	}

	/** What is wrong with an answer by the description; empty when nothing is. */
	problemsOf(operationId: string, answer: Answer): string[] {
		const found = this.#responsePointer(operationId, answer.status);
		if (!found) return [`status ${answer.status} is not documented`];
		const { pointer, response } = found;
		const headers = Object.entries(response.headers ?? {}).filter(([name, { required }]) => required && !answer.headers.has(name));
		return [...headers.map(([name]) => `header ${name} is missing`), ...this.#bodyProblems(pointer, response, answer)];
	}

	/** What is wrong with data by a schema of the description; undefined when there is no such schema. */
	schemaProblems(schema: string, data: unknown): string[] | undefined {
		return this.#description.components.schemas[schema] === undefined
			? undefined
			: this.#problemsAt(`#/components/schemas/${schema}`, data);
	}

	#responsePointer(operationId: string, status: number): { pointer: string; response: ResponseObject } | undefined {
		const { path, method } = this.operations.get(operationId) as Operation;
		const { paths, components } = this.#description;
		const response = paths[path]?.[method.toLowerCase() as 'get']?.responses[status];
		if (response?.$ref)
			return { pointer: response.$ref, response: components.responses[response.$ref.split('/').at(-1) as string] as ResponseObject };
		return response && { pointer: `#/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}/responses/${status}`, response };
	}

	#bodyProblems(pointer: string, response: ResponseObject, { headers, body }: Answer): string[] {
		if (!response.content) return body.length === 0 ? [] : [`a body of ${body.length} bytes where none is documented`];
		const type = headers.get('content-type')?.split(';')[0] ?? '';
		const documented = [type, '*/*'].find((name) => response.content?.[name]);
		if (!documented) return [`content type ${type} is not documented`];
		if (type === 'text/event-stream') return eventsOf(body).flatMap((event) => this.#eventProblems(pointer, response, event));
		return type === 'application/json' && documented === type
			? this.#problemsAt(`${pointer}/content/application~1json/schema`, JSON.parse(body.toString('utf8')))
			: [];
	}

	#eventProblems(pointer: string, response: ResponseObject, { name, data }: SentEvent): string[] {
		if (!response.content?.['text/event-stream']?.['x-events']?.[name]) return [`event ${name} is not documented`];
		return this.#problemsAt(`${pointer}/content/text~1event-stream/x-events/${name}`, data).map((problem) => `event ${name}: ${problem}`);
	}

	#problemsAt(pointer: string, data: unknown): string[] {
		const validate = this.#ajv.compile({ $ref: `contract${pointer.replaceAll('{', '%7B').replaceAll('}', '%7D')}` });
		return validate(data)
			? []
			: (validate.errors ?? []).map(({ instancePath, message }: ErrorObject) => `${instancePath || '/'} ${message ?? 'is wrong'}`);
	}
}

function operationsOf({ servers, paths }: Description): Array<[string, Operation]> {
	return Object.entries(paths).flatMap(([path, item]) => {
		const roots = (item.servers ?? servers).map(({ url }) => url.replace(/\/$/, ''));
		return METHODS.flatMap((method): Array<[string, Operation]> => {
			const operation = item[method];
			if (!operation) return [];
			const statuses = Object.keys(operation.responses).map(Number);
			return [[operation.operationId, { id: operation.operationId, method: method.toUpperCase(), path, roots, statuses }]];
		});
	});
}

/** The events of a whole stream; comments are left out. */
export function eventsOf(body: Buffer): SentEvent[] {
	const frames = body
		.toString('utf8')
		.split('\n\n')
		.filter((frame) => frame !== '' && !frame.startsWith(':'));
	return frames.map((frame) => {
		const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
		if (name === undefined || data === undefined) throw new Error(`Not an event of one line of data: ${frame}`);
		return { name, data: JSON.parse(data) as unknown };
	});
}

export interface RequestOptions {
	/** For the parameter of the path, or for each of them. */
	name?: string | readonly string[];
	query?: string;
	json?: unknown;
	form?: FormData;
	headers?: Record<string, string>;
}

export interface Answered {
	status: number;
	headers: Headers;
	bytes: Buffer;
	/** Empty where the answer is no JSON. */
	json: Record<string, unknown>;
}

/**
 * Redirects are not followed.
 * @param base address that the description's paths come below.
 * @throws Error that names every way in which the answer deviates from the description.
 */
export async function checkedCall(api: OpenApi, operationId: string, base: string, options: RequestOptions): Promise<Answered> {
	const answer = await send(api.operations.get(operationId) as Operation, base, options);
	const problems = api.problemsOf(operationId, answer);
	if (problems.length > 0) {
		throw new Error(`${operationId} at ${base}, ${answer.status}: ${problems.join('; ')}\n${answer.body.toString('utf8').slice(0, 2000)}`);
	}
	const isJson = answer.body.length > 0 && answer.headers.get('content-type')?.startsWith('application/json');
	const json = isJson ? (JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>) : {};
	return { status: answer.status, headers: answer.headers, bytes: answer.body, json };
}

async function send({ method, path }: Operation, base: string, { name = '', query, json, form, headers }: RequestOptions): Promise<Answer> {
	const names = [name].flat();
	const place = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(names.shift() ?? ''));
	const response = await fetch(`${base}${place}${query === undefined ? '' : `?${query}`}`, {
		method,
		redirect: 'manual',
		headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
		body: form ?? (json === undefined ? null : JSON.stringify(json)),
	});
	return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}
