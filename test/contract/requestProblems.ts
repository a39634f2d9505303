import type { RecordedRequest } from '../../sandbox';
import type { Contract, Operation, Schema } from './contract';

/** As the sandbox recorded it. */
export type SentRequest = Pick<RecordedRequest, 'method' | 'path' | 'query' | 'headers' | 'bodyBytes' | 'bodyText'>;

/** Of the transport, and of no interface. */
const TRANSPORT_HEADERS =
	/^(host|connection|content-length|content-type|transfer-encoding|accept|accept-encoding|user-agent|upgrade|sec-websocket-.+)$/;

/** What is wrong with a request by its operation; empty when nothing is. */
export function requestProblems(contract: Contract, request: SentRequest): string[] {
	const operation = contract.operationOf(request);
	if (operation === undefined) return ['no such operation'];
	return [
		...pathProblems(contract, operation, request),
		...queryProblems(contract, operation, request),
		...headerProblems(contract, operation, request),
		...bodyProblems(contract, operation, request),
	];
}

function pathProblems(contract: Contract, { parameters, pattern }: Operation, { path }: SentRequest): string[] {
	const steps = pattern.exec(path)?.groups ?? {};
	return parameters
		.filter((parameter) => parameter.in === 'path')
		.flatMap(({ name, schema }) => contract.problems(`path ${name}`, schema, decodeURIComponent(steps[name] ?? ''), true));
}

function queryProblems(contract: Contract, operation: Operation, { query }: SentRequest): string[] {
	const known = operation.parameters.filter((parameter) => parameter.in === 'query');
	const keys = credentialNames(contract, operation, 'query');
	const sent = [...new URLSearchParams(query)].filter(([name]) => !keys.includes(name));
	const missing = known.filter(({ name, required }) => required === true && !sent.some(([sentName]) => sentName === name));
	return [
		...missing.map(({ name }) => `query ${name} is missing`),
		...sent.flatMap(([name, value]) => {
			const parameter = known.find(({ name: knownName, style }) =>
				style === 'deepObject' ? name.startsWith(`${knownName}[`) : name === knownName,
			);
			if (parameter === undefined) return [`query ${name} is not documented`];
			return parameter.style === 'deepObject' ? [] : contract.problems(`query ${name}`, parameter.schema, value, true);
		}),
	];
}

function headerProblems(contract: Contract, operation: Operation, { headers }: SentRequest): string[] {
	const known = operation.parameters.filter((parameter) => parameter.in === 'header');
	const keys = credentialNames(contract, operation, 'header');
	return Object.entries(headers).flatMap(([name, value]) => {
		if (TRANSPORT_HEADERS.test(name) || keys.includes(name)) return [];
		const parameter = known.find((one) => one.name.toLowerCase() === name);
		return parameter === undefined
			? [`header ${name} is not documented`]
			: contract.problems(`header ${name}`, parameter.schema, value, true);
	});
}

/** Names of what may carry a key. */
function credentialNames({ securitySchemes }: Contract, { security }: Operation, place: 'query' | 'header'): string[] {
	return security
		.flatMap((choice) => Object.keys(choice))
		.flatMap((scheme) => {
			const { type, in: where = 'header', name = 'authorization' } = securitySchemes[scheme] ?? { type: 'none' };
			return type !== 'none' && where === place ? [name.toLowerCase()] : [];
		});
}

function bodyProblems(contract: Contract, { requestBody }: Operation, { bodyBytes, bodyText, headers }: SentRequest): string[] {
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
	return [...unknownFields(contract.resolve(schema), body), ...contract.problems('body', schema, body, isForm)];
}

function unknownFields({ properties, additionalProperties }: Schema, body: unknown): string[] {
	if (properties === undefined || additionalProperties === true) return [];
	return Object.keys(body as object)
		.filter((name) => !Object.hasOwn(properties, name))
		.map((name) => `body field ${name} is not documented`);
}

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
