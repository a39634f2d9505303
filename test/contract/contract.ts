/** A description from contract/: the operation of a request, and what is wrong with a request or an answer by it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

const METHODS = ['get', 'head', 'post', 'put', 'delete'] as const;

export interface Schema {
	$ref?: string;
	properties?: Record<string, Schema>;
	additionalProperties?: boolean | Schema;
}

export interface Parameter {
	$ref?: string;
	name: string;
	in: 'path' | 'query' | 'header';
	required?: boolean;
	style?: string;
	schema: Schema;
}

interface ResponseObject {
	$ref?: string;
	headers?: Record<string, { required?: boolean }>;
	content?: Record<string, { schema?: Schema; 'x-events'?: Record<string, Schema> }>;
}

interface DescribedOperation {
	operationId: string;
	parameters?: Parameter[];
	requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
	responses: Record<string, ResponseObject>;
	security?: Array<Record<string, unknown>>;
}

interface Description {
	servers: Array<{ url: string }>;
	security?: DescribedOperation['security'];
	paths: Record<string, Partial<Record<(typeof METHODS)[number], DescribedOperation>> & { parameters?: Parameter[] }>;
	components: {
		parameters?: Record<string, Parameter>;
		responses?: Record<string, ResponseObject>;
		schemas: Record<string, Schema>;
		securitySchemes?: Record<string, { type: string; in?: string; name?: string }>;
	};
}

export interface Operation extends DescribedOperation {
	id: string;
	method: string;
	/** Below the server of the description, with `{name}` for parameters. */
	path: string;
	pattern: RegExp;
	/** Those of the path and of the operation. */
	parameters: Parameter[];
	security: Array<Record<string, unknown>>;
	statuses: number[];
}

export interface Answer {
	status: number;
	headers: Headers;
	body: Buffer;
}

interface SentEvent {
	name: string;
	data: unknown;
}

export class Contract {
	readonly operations: ReadonlyMap<string, Operation>;
	readonly securitySchemes: NonNullable<Description['components']['securitySchemes']>;
	readonly #description: Description;
	readonly #validators = { json: new Map<Schema, ValidateFunction>(), text: new Map<Schema, ValidateFunction>() };

	/** @param file its name in contract/. */
	constructor(file: string) {
		const text = readFileSync(join(__dirname, '..', '..', 'contract', file), 'utf8');
		this.#description = parse(text, { merge: true, maxAliasCount: -1 }) as Description;
		this.securitySchemes = this.#description.components.securitySchemes ?? {};
		const operations = Object.keys(this.#description.paths).flatMap((path) => this.#operationsAt(path));
		this.operations = new Map(operations.map((operation) => [operation.id, operation]));
	}

	/** A path in the description's own words goes before one with parameters. */
	operationOf({ method, path }: { method: string; path: string }): Operation | undefined {
		const found = [...this.operations.values()].filter((one) => one.method === method && one.pattern.test(path));
		return found.sort((one, other) => stepsIn(one) - stepsIn(other))[0];
	}

	/** What is wrong with an answer; empty when nothing is. */
	answerProblems(operationId: string, answer: Answer): string[] {
		const response = this.#responseOf(operationId, answer.status);
		if (response === undefined) return [`status ${answer.status} is not documented`];
		const headers = Object.entries(response.headers ?? {}).filter(([name, { required }]) => required && !answer.headers.has(name));
		return [...headers.map(([name]) => `header ${name} is missing`), ...this.#answerBodyProblems(response, answer)];
	}

	/** What is wrong with data by a schema of this name; undefined when there is no such schema. */
	schemaProblems(name: string, data: unknown): string[] | undefined {
		const schema = this.#description.components.schemas[name];
		return schema && this.problems('', schema, data);
	}

	/** @param isText what stands in paths, queries, headers and forms: a number is a text of digits there, and a list of one no list. */
	problems(what: string, schema: Schema, value: unknown, isText = false): string[] {
		const known = this.#validators[isText ? 'text' : 'json'];
		const validate = known.get(schema) ?? (isText ? TEXTS : JSON_VALUES).compile({ components: this.#description.components, ...schema });
		known.set(schema, validate);
		if (validate(value)) return [];
		return (validate.errors ?? []).map(({ instancePath, message }) => `${`${what}${instancePath}` || '/'} ${message ?? 'is wrong'}`);
	}

	resolve(schema: Schema): Schema {
		return schema.$ref === undefined ? schema : (this.#description.components.schemas[nameIn(schema.$ref)] as Schema);
	}

	#operationsAt(path: string): Operation[] {
		const { paths, servers, security, components } = this.#description;
		const item = paths[path] ?? {};
		const roots = servers.map(({ url }) => url.replace(/\/$/, ''));
		const steps = path.replaceAll(/[.]/g, '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
		return METHODS.flatMap((method) => {
			const operation = item[method];
			if (operation === undefined) return [];
			const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) =>
				one.$ref === undefined ? one : (components.parameters?.[nameIn(one.$ref)] as Parameter),
			);
			return [
				{
					security: security ?? [],
					...operation,
					id: operation.operationId,
					method: method.toUpperCase(),
					path,
					pattern: new RegExp(`^(?:${roots.join('|')})${steps}$`),
					parameters,
					statuses: Object.keys(operation.responses).map(Number),
				},
			];
		});
	}

	#responseOf(operationId: string, status: number): ResponseObject | undefined {
		const response = this.operations.get(operationId)?.responses[status];
		return response?.$ref === undefined ? response : this.#description.components.responses?.[nameIn(response.$ref)];
	}

	#answerBodyProblems({ content }: ResponseObject, { headers, body }: Answer): string[] {
		if (content === undefined) return body.length === 0 ? [] : [`a body of ${body.length} bytes where none is documented`];
		const type = headers.get('content-type')?.split(';')[0] ?? '';
		const documented = content[type];
		if (documented === undefined) return '*/*' in content ? [] : [`content type ${type} is not documented`];
		if (type === 'text/event-stream') return eventsOf(body).flatMap((event) => this.#eventProblems(documented['x-events'] ?? {}, event));
		return type === 'application/json' ? this.problems('', documented.schema ?? {}, JSON.parse(body.toString('utf8'))) : [];
	}

	#eventProblems(events: Record<string, Schema>, { name, data }: SentEvent): string[] {
		const schema = events[name];
		return schema === undefined ? [`event ${name} is not documented`] : this.problems(`event ${name}: `, schema, data);
	}
}

const newAjv = (coerceTypes: 'array' | false) => addFormats(new Ajv2020({ strict: false, allErrors: true, coerceTypes }));
const TEXTS = newAjv('array');
const JSON_VALUES = newAjv(false);

const nameIn = (pointer: string): string => pointer.split('/').at(-1) ?? '';

const stepsIn = ({ parameters }: Operation): number => parameters.filter((parameter) => parameter.in === 'path').length;

/** The events of a whole stream; comments are left out. */
function eventsOf(body: Buffer): SentEvent[] {
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
