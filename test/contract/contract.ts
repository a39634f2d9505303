/** contract/v2.yaml as something that answers can be held against. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020, { type ErrorObject } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

const METHODS = ['get', 'head', 'post', 'delete'] as const;

interface ResponseObject {
	$ref?: string;
	headers?: Record<string, { required?: boolean }>;
	content?: Record<string, { 'x-events'?: Record<string, unknown> }>;
}

interface Contract {
	paths: Record<string, Partial<Record<(typeof METHODS)[number], { operationId: string; responses: Record<string, ResponseObject> }>>>;
	components: { responses: Record<string, ResponseObject> };
}

export interface Operation {
	id: string;
	method: string;
	/** Below `/api/v2`, with `{name}` for parameters. */
	path: string;
	statuses: number[];
}

export interface Answer {
	status: number;
	headers: Headers;
	body: Buffer;
}

const contract = parse(readFileSync(join(__dirname, '..', '..', 'contract', 'v2.yaml'), 'utf8'), { merge: true }) as Contract;
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(contract, 'contract');

export const operations = new Map<string, Operation>(
	Object.entries(contract.paths).flatMap(([path, item]) =>
		METHODS.flatMap((method) => {
			const operation = item[method];
			if (!operation) return [];
			const statuses = Object.keys(operation.responses).map(Number);
			return [[operation.operationId, { id: operation.operationId, method: method.toUpperCase(), path, statuses }] as const];
		}),
	),
);

/** What is wrong with an answer by the contract; empty when nothing is. */
export function problemsOf(operationId: string, answer: Answer): string[] {
	const found = responsePointer(operationId, answer.status);
	if (!found) return [`status ${answer.status} is not documented`];
	const { pointer, response } = found;
	const headers = Object.entries(response.headers ?? {}).filter(([name, { required }]) => required && !answer.headers.has(name));
	return [...headers.map(([name]) => `header ${name} is missing`), ...bodyProblems(pointer, response, answer)];
}

function responsePointer(operationId: string, status: number): { pointer: string; response: ResponseObject } | undefined {
	const { path, method } = operations.get(operationId) as Operation;
	const response = contract.paths[path]?.[method.toLowerCase() as 'get']?.responses[status];
	if (response?.$ref) return { pointer: response.$ref, response: contract.components.responses[response.$ref.split('/').at(-1) as string] as ResponseObject };
	return response && { pointer: `#/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}/responses/${status}`, response };
}

function bodyProblems(pointer: string, response: ResponseObject, { headers, body }: Answer): string[] {
	if (!response.content) return body.length === 0 ? [] : [`a body of ${body.length} bytes where none is documented`];
	const type = headers.get('content-type')?.split(';')[0] ?? '';
	const documented = [type, '*/*'].find((name) => response.content?.[name]);
	if (!documented) return [`content type ${type} is not documented`];
	if (type === 'text/event-stream') return eventsOf(body).flatMap((event) => eventProblems(pointer, response, event));
	return type === 'application/json' && documented === type ? schemaProblems(`${pointer}/content/application~1json/schema`, JSON.parse(body.toString('utf8'))) : [];
}

export interface SentEvent {
	name: string;
	data: unknown;
}

/** The events of a whole stream; comments are left out. */
export function eventsOf(body: Buffer): SentEvent[] {
	const frames = body.toString('utf8').split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));
	return frames.map((frame) => {
		const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
		if (name === undefined || data === undefined) throw new Error(`Not an event of one line of data: ${frame}`);
		return { name, data: JSON.parse(data) as unknown };
	});
}

function eventProblems(pointer: string, response: ResponseObject, { name, data }: SentEvent): string[] {
	if (!response.content?.['text/event-stream']?.['x-events']?.[name]) return [`event ${name} is not documented`];
	return schemaProblems(`${pointer}/content/text~1event-stream/x-events/${name}`, data).map((problem) => `event ${name}: ${problem}`);
}

function schemaProblems(pointer: string, data: unknown): string[] {
	const validate = ajv.compile({ $ref: `contract${pointer.replaceAll('{', '%7B').replaceAll('}', '%7D')}` });
	return validate(data) ? [] : (validate.errors ?? []).map(({ instancePath, message }: ErrorObject) => `${instancePath || '/'} ${message ?? 'is wrong'}`);
}
