/** Plain HTTP for v1, with the X-API-Key header. */
import type { Sandbox } from '../../../../sandbox';
import type { ApiGraph } from '../../../../sandbox/graphEngine/types';

export interface V1Call {
	key?: string | null;
	json?: unknown;
	body?: NonNullable<RequestInit['body']>;
	headers?: Record<string, string>;
}

export interface V1Answer {
	status: number;
	headers: Headers;
	bytes: Buffer;
	text: string;
	/** Undefined where the text is no JSON. */
	json: unknown;
}

type Fields = Record<string, unknown>;

export class V1 {
	constructor(
		readonly sandbox: Sandbox,
		private readonly key?: string,
	) {}

	/** The answer as it comes: redirects are not followed. */
	async call(
		method: string,
		path: string,
		{ key = this.key ?? this.sandbox.keys.apiKey, json, body, headers }: V1Call = {},
	): Promise<V1Answer> {
		const response = await fetch(`${this.sandbox.urls.hosted}${path}`, {
			method,
			redirect: 'manual',
			headers: { ...(key !== null && { 'x-api-key': key }), ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
			body: body ?? (json === undefined ? null : JSON.stringify(json)),
		});
		const bytes = Buffer.from(await response.arrayBuffer());
		const text = bytes.toString('utf8');
		return { status: response.status, headers: response.headers, bytes, text, json: parse(text) };
	}

	/** A GET that must succeed. */
	async get(path: string): Promise<Fields> {
		const { status, json, text } = await this.call('GET', path);
		if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
		return json as Fields;
	}

	async prompt(prompt: ApiGraph, rest: Fields = {}): Promise<V1Answer> {
		return await this.call('POST', '/api/prompt', { json: { prompt, ...rest } });
	}

	/** Submits and returns the job's id. */
	async started(prompt: ApiGraph, rest: Fields = {}): Promise<string> {
		const { status, json, text } = await this.prompt(prompt, rest);
		if (status !== 200) throw new Error(`Not submitted: ${status} ${text}`);
		return String((json as Fields).prompt_id);
	}

	async status(jobId: string): Promise<unknown> {
		return (await this.get(`/api/job/${jobId}/status`)).status;
	}

	/** Submits, waits for the end, and reads the job. */
	async finished(prompt: ApiGraph): Promise<Fields> {
		const jobId = await this.started(prompt);
		for (;;) {
			const job = await this.get(`/api/jobs/${jobId}`);
			if (['completed', 'failed', 'cancelled'].includes(String(job.status))) return job;
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	}

	async upload(kind: 'image' | 'mask', bytes: Uint8Array, fields: Record<string, string> = {}, name = 'cat.png'): Promise<V1Answer> {
		const form = new FormData();
		form.append('image', new Blob([new Uint8Array(bytes)]), name);
		for (const [field, value] of Object.entries(fields)) form.append(field, value);
		return await this.call('POST', `/api/upload/${kind}`, { body: form });
	}

	/** Follows the redirect by hand, without the key. */
	async download(filename: string, type = 'output'): Promise<Buffer> {
		const { status, headers, text } = await this.call(
			'GET',
			`/api/view?${new URLSearchParams({ filename, subfolder: '', type }).toString()}`,
		);
		if (status !== 302) throw new Error(`No redirect: ${status} ${text}`);
		return Buffer.from(await (await fetch(headers.get('location') ?? '')).arrayBuffer());
	}
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}
