/** The standalone OpenAPI document of one model: the same by which its calls are checked. */
import type { Behaviour } from '../../behaviour';
import type { JsonSchema, Model } from '../model';

const FLAG = {
	'X-Service-Request-Id': 'x-service-input-schema-authored',
	'X-Comfy-Request-Id': 'x-comfy-input-schema-authored',
} as const;

/** @param spelling how the service spells its vendor headers, and so the flag. */
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
