/** The requests that a description in contract/ knows: which operation one is of, and what is wrong with it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import type { RecordedRequest } from '../../../sandbox';

/** As the sandbox recorded it. */
export type SentRequest = Pick<RecordedRequest, 'method' | 'path' | 'query' | 'headers' | 'bodyBytes' | 'bodyText'>;

const METHODS = ['get', 'head', 'post', 'put', 'delete'] as const;

/** Of the transport, and of no interface. */
const EVERYBODYS_HEADERS =
	/^(host|connection|content-length|content-type|transfer-encoding|accept|accept-encoding|user-agent|upgrade|sec-websocket-.+)$/;

interface Schema {
	$ref?: string;
	properties?: Record<string, Schema>;
	additionalProperties?: boolean | Schema;
}

interface Parameter {
	$ref?: string;
	name: string;
	in: 'path' | 'query' | 'header';
	required?: boolean;
	style?: string;
	schema: Schema;
}

interface DescribedOperation {
	operationId: string;
	parameters?: Parameter[];
	requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
	security?: Array<Record<string, unknown>>;
}

interface Description {
	servers: Array<{ url: string }>;
	security?: DescribedOperation['security'];
	paths: Record<
		string,
		Partial<Record<(typeof METHODS)[number], DescribedOperation>> & { parameters?: Parameter[]; servers?: Description['servers'] }
	>;
	components: {
		parameters?: Record<string, Parameter>;
		schemas: Record<string, Schema>;
		securitySchemes: Record<string, { type: string; in?: string; name?: string }>;
	};
}

interface Route extends Omit<DescribedOperation, 'parameters'> {
	id: string;
	method: string;
	pattern: RegExp;
	parameters: Parameter[];
}

export class Requests {
	readonly #description: Description;
	readonly #routes: Route[];
	readonly #json = new Map<Schema, ValidateFunction>();
	readonly #texts = new Map<Schema, ValidateFunction>();

	/** @param file its name in contract/. */
	constructor(file: string) {
		const text = readFileSync(join(__dirname, '..', '..', '..', 'contract', file), 'utf8');
		this.#description = parse(text, { merge: true, maxAliasCount: -1 }) as Description;
		this.#routes = Object.keys(this.#description.paths).flatMap((path) => this.#routesOf(path));
	}

	get ids(): string[] {
		return this.#routes.map(({ id }) => id);
	}

	/** The operation that a request is of; undefined where it is of none. */
	operationOf({ method, path }: SentRequest): string | undefined {
		return this.#routeOf(method, path)?.id;
	}

	/** What is wrong with a request by its operation; empty when nothing is. */
	problemsOf(request: SentRequest): string[] {
		const route = this.#routeOf(request.method, request.path);
		if (route === undefined) return ['no such operation'];
		return [
			...this.#pathProblems(route, request),
			...this.#queryProblems(route, request),
			...this.#headerProblems(route, request),
			...this.#bodyProblems(route, request),
		];
	}

	#routesOf(path: string): Route[] {
		const { paths, servers } = this.#description;
		const item = paths[path] ?? {};
		const roots = (item.servers ?? servers).map(({ url }) => url.replace(/\/$/, ''));
		const steps = path.replaceAll(/[.]/g, '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
		return METHODS.flatMap((method) => {
			const operation = item[method];
			if (operation === undefined) return [];
			const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) => this.#parameter(parameter));
			return [
				{
					...operation,
					id: operation.operationId,
					method: method.toUpperCase(),
					pattern: new RegExp(`^(?:${roots.join('|')})${steps}$`),
					parameters,
				},
			];
		});
	}

	#parameter(parameter: Parameter): Parameter {
		return parameter.$ref === undefined ? parameter : (this.#description.components.parameters?.[nameIn(parameter.$ref)] as Parameter);
	}

	/** A path in the description's own words goes before one with parameters. */
	#routeOf(method: string, path: string): Route | undefined {
		const found = this.#routes.filter((route) => route.method === method && route.pattern.test(path));
		return found.sort((one, other) => stepsIn(one) - stepsIn(other))[0];
	}

	#pathProblems({ parameters, pattern }: Route, { path }: SentRequest): string[] {
		const steps = pattern.exec(path)?.groups ?? {};
		return parameters
			.filter((parameter) => parameter.in === 'path')
			.flatMap(({ name, schema }) => this.#textProblems(`path ${name}`, schema, decodeURIComponent(steps[name] ?? '')));
	}

	#queryProblems(route: Route, { query }: SentRequest): string[] {
		const known = route.parameters.filter((parameter) => parameter.in === 'query');
		const keys = this.#credentials(route, 'query');
		const sent = [...new URLSearchParams(query)].filter(([name]) => !keys.includes(name));
		const missing = known.filter(({ name, required }) => required === true && !sent.some(([sentName]) => sentName === name));
		return [
			...missing.map(({ name }) => `query ${name} is missing`),
			...sent.flatMap(([name, value]) => {
				const parameter = known.find(({ name: knownName, style }) =>
					style === 'deepObject' ? name.startsWith(`${knownName}[`) : name === knownName,
				);
				if (parameter === undefined) return [`query ${name} is not documented`];
				return parameter.style === 'deepObject' ? [] : this.#textProblems(`query ${name}`, parameter.schema, value);
			}),
		];
	}

	#headerProblems(route: Route, { headers }: SentRequest): string[] {
		const known = route.parameters.filter((parameter) => parameter.in === 'header');
		const keys = this.#credentials(route, 'header');
		return Object.entries(headers).flatMap(([name, value]) => {
			if (EVERYBODYS_HEADERS.test(name) || keys.includes(name)) return [];
			const parameter = known.find((one) => one.name.toLowerCase() === name);
			return parameter === undefined ? [`header ${name} is not documented`] : this.#textProblems(`header ${name}`, parameter.schema, value);
		});
	}

	/** Names of what may carry a key. */
	#credentials({ security = this.#description.security ?? [] }: Route, place: 'query' | 'header'): string[] {
		const { securitySchemes } = this.#description.components;
		return security
			.flatMap((choice) => Object.keys(choice))
			.flatMap((scheme) => {
				const { type, in: where = 'header', name = 'authorization' } = securitySchemes[scheme] ?? { type: 'none' };
				return type !== 'none' && where === place ? [name.toLowerCase()] : [];
			});
	}

	#bodyProblems({ requestBody }: Route, { bodyBytes, bodyText, headers }: SentRequest): string[] {
		if (bodyBytes === 0) return requestBody?.required === true ? ['the body is missing'] : [];
		if (requestBody === undefined) return [`a body of ${bodyBytes} bytes where none is documented`];
		const contentType = String(headers['content-type'] ?? '');
		const [type = ''] = contentType.split(';');
		const documented = requestBody.content[type];
		if (documented === undefined) return '*/*' in requestBody.content ? [] : [`content type ${type} is not documented`];
		// The sandbox keeps the beginning only.
		if (bodyBytes > Buffer.byteLength(bodyText)) return [];
		const { schema } = documented;
		const isForm = type === 'multipart/form-data';
		const body = isForm ? formValues(bodyText, contentType) : (JSON.parse(bodyText) as unknown);
		return [...this.#unknownFields(schema, body), ...this.#problems('body', this.#validator(schema, isForm), body)];
	}

	/** Throws if the request is not described. */
	#unknownFields(schema: Schema, body: unknown): string[] {
		const { properties, additionalProperties } = this.#resolved(schema);
		if (properties === undefined || additionalProperties === true) return [];
		return Object.keys(body as object)
			.filter((name) => !Object.hasOwn(properties, name))
			.map((name) => `body field ${name} is not documented`);
	}

	#resolved(schema: Schema): Schema {
		return schema.$ref === undefined ? schema : (this.#description.components.schemas[nameIn(schema.$ref)] as Schema);
	}

	#textProblems(what: string, schema: Schema, value: unknown): string[] {
		return this.#problems(what, this.#validator(schema, true), value);
	}

	#problems(what: string, validate: ValidateFunction, value: unknown): string[] {
		return validate(value)
			? []
			: (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message ?? 'is wrong'}`);
	}

	/** @param isText what stands in paths, queries, headers and forms: a number is a text of digits there, and a list of one no list. */
	#validator(schema: Schema, isText: boolean): ValidateFunction {
		const known = isText ? this.#texts : this.#json;
		const validator = known.get(schema) ?? (isText ? TEXTS : JSON_VALUES).compile({ components: this.#description.components, ...schema });
		known.set(schema, validator);
		return validator;
	}
}

const newAjv = (coerceTypes: 'array' | false) => addFormats(new Ajv2020({ strict: false, allErrors: true, coerceTypes }));
const TEXTS = newAjv('array');
const JSON_VALUES = newAjv(false);

const nameIn = (pointer: string): string => pointer.split('/').at(-1) ?? '';

const stepsIn = ({ parameters }: Route): number => parameters.filter((parameter) => parameter.in === 'path').length;

/** The fields of a form by name, as they came; of one that came more than once all. A file's bytes are left out. */
function formValues(body: string, contentType: string): Record<string, string | string[]> {
	const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1] ?? '';
	const values: Record<string, string | string[]> = {};
	for (const part of body.split(`--${boundary}`).slice(1, -1)) {
		const [head = '', ...rest] = part.split('\r\n\r\n');
		const name = /; name="([^"]*)"/.exec(head)?.[1] ?? '';
		const value = head.includes('; filename=') ? '' : rest.join('\r\n\r\n').replace(/\r\n$/, '');
		values[name] = Object.hasOwn(values, name) ? [values[name] ?? [], value].flat() : value;
	}
	return values;
}
