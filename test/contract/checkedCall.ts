/** One request to the sandbox, its answer held against a description. */
import type { Answer, OpenApi, Operation } from './openApi';

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
