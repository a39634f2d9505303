/** What a model of the catalog is. */
import type { Readable } from 'node:stream';
import type { Behaviour } from '../behaviour';

export type JsonSchema = { [keyword: string]: unknown };
export type JsonObject = Record<string, unknown>;

export type Generated =
	| { kind: 'json'; value: unknown }
	| { kind: 'bytes'; contentType: string; bytes: Buffer }
	/** JSON too big to be held. */
	| { kind: 'large'; sizeBytes: number; open(): Readable };

interface GenerateContext {
	signal: AbortSignal;
	/** Keeps a file in the storage. @returns a signed link to it. */
	store(bytes: Buffer, contentType: string): Promise<string>;
	/** Whether another provider may be used if this one fails. */
	fallback: boolean;
	/** Names the provider that replaced it. */
	onFallback(provider: string): void;
}

export interface Model {
	id: string;
	provider: string;
	model: string;
	/** `yes`, `no`, `unknown`, or an undocumented word. */
	chargesOnRefusal: string;
	/** `none`: no document; `open`: a document that takes any object. */
	schema:
		| { kind: 'authored'; input: JsonSchema; output?: JsonSchema; components?: Record<string, JsonSchema> }
		| { kind: 'open' }
		| { kind: 'none' };
	/** Its results are raw bytes, which cannot be queued. */
	givesBytes: boolean;
	/** US cents of one run. */
	priceCents: number;
	/** US cents of a run with this input, for a model whose price depends on it. */
	priceCentsOf?(input: JsonObject): number;
	/** The answer of its estimate. Default: the price, or `unknown` if its runs do not report their cost. */
	estimate?(input: JsonObject): unknown;
	/** Whether runs report their cost. */
	reportsCredits: boolean;
	/** Inputs that other providers of the model do not support. */
	ownParameters?: readonly string[];
	/** The error bucket of its queued requests, although their result is stored and charged. */
	queuedEnd?: string;
	/** @throws RouterRefusal if the provider fails. */
	generate(input: JsonObject, context: GenerateContext): Promise<Generated>;
}

export const centsOf = ({ priceCents, priceCentsOf }: Model, input: JsonObject): number => priceCentsOf?.(input) ?? priceCents;

/** The cost of a run in credits, as decimal text. */
export const creditsOf = (model: Model, input: JsonObject): string => String(Math.round(centsOf(model, input) * 211) / 100);

/** Of a path. */
export interface ModelParams {
	provider: string;
	model: string;
}

const FLAG = {
	'X-Service-Request-Id': 'x-service-input-schema-authored',
	'X-Comfy-Request-Id': 'x-comfy-input-schema-authored',
} as const;

/** @param spelling the vendor prefix of the service, which the flag has too. */
export function schemaDocument({ id, schema }: Model, spelling: Behaviour['requestIdHeader'] = 'X-Service-Request-Id'): JsonSchema {
	const flag = { [FLAG[spelling]]: schema.kind === 'authored' };
	const input: JsonSchema = schema.kind === 'authored' ? schema.input : { type: 'object', additionalProperties: true };
	const output = schema.kind === 'authored' ? schema.output : undefined;
	const components = schema.kind === 'authored' ? schema.components : undefined;
	return {
		openapi: '3.1.0',
		info: { title: id, version: '1.0.0' },
		...flag,
		paths: {
			[`/v1/models/${id}`]: {
				post: {
					operationId: 'run',
					requestBody: { required: true, content: { 'application/json': { schema: { ...input, ...flag } } } },
					responses: {
						200: { description: 'The result.', ...(output !== undefined && { content: { 'application/json': { schema: output } } }) },
					},
				},
			},
		},
		...(components !== undefined && { components: { schemas: components } }),
	};
}
