/** Plain HTTP for the sandbox's own tests. */
import type { Sandbox, ServiceSurface } from '../../../sandbox';

export interface CallOptions {
	/** `null` for none; the surface's own by default. */
	key?: string | null;
	json?: unknown;
	body?: NonNullable<RequestInit['body']>;
	headers?: Record<string, string>;
	signal?: AbortSignal;
}

export interface Called {
	status: number;
	headers: Headers;
	text: string;
	json: Record<string, unknown>;
	/** `error.code` of a refusal. */
	code: unknown;
}

export class Caller {
	constructor(
		readonly sandbox: Sandbox,
		readonly surface: ServiceSurface,
	) {}

	get address(): string {
		return this.sandbox.urls[this.surface === 'self_hosted_token' ? 'self_hosted_token_url' : this.surface];
	}

	/** The answer as it comes: redirects are not followed. */
	async fetch(method: string, path: string, { key, json, body, headers, signal }: CallOptions = {}): Promise<Response> {
		const { keys } = this.sandbox;
		const ownKey = { hosted: keys.apiKey, deployment: keys.apiKey, self_hosted_token: keys.bearer, self_hosted: null }[this.surface];
		const token = key === undefined ? ownKey : key;
		return await fetch(path.startsWith('http') ? path : `${this.address}/api/v2${path}`, {
			method,
			redirect: 'manual',
			headers: {
				...(token !== null && { authorization: `Bearer ${token}` }),
				...(json !== undefined && { 'content-type': 'application/json' }),
				...headers,
			},
			body: body ?? (json === undefined ? null : JSON.stringify(json)),
			...(signal !== undefined && { signal }),
		});
	}

	async call(method: string, path: string, options: CallOptions = {}): Promise<Called> {
		const response = await this.fetch(method, path, options);
		const text = await response.text();
		const json = parse(text);
		return {
			status: response.status,
			headers: response.headers,
			text,
			json,
			code: (json.error as { code?: unknown } | null | undefined)?.code,
		};
	}

	async submit(workflow: unknown, options: { key?: string; rest?: Record<string, unknown> } = {}): Promise<Called> {
		const headers: Record<string, string> = options.key === undefined ? {} : { 'idempotency-key': options.key };
		return await this.call('POST', '/jobs', { json: { workflow, ...options.rest }, headers });
	}

	/** Submits and returns the new job's id. */
	async started(workflow: unknown, rest: Record<string, unknown> = {}): Promise<string> {
		const { status, json, text } = await this.submit(workflow, { rest });
		if (status !== 201) throw new Error(`Not submitted: ${status} ${text}`);
		return String(json.id);
	}

	/** Reads a job until it has one of these statuses. */
	async read(jobId: string, ...statuses: string[]): Promise<Record<string, unknown>> {
		const wanted = statuses.length > 0 ? statuses : ['succeeded', 'failed', 'canceled', 'expired'];
		for (;;) {
			const { json } = await this.call('GET', `/jobs/${jobId}`);
			if (wanted.includes(String(json.status))) return json;
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	}

	async finished(workflow: unknown): Promise<Record<string, unknown>> {
		return await this.read(await this.started(workflow));
	}

	async upload(bytes: Uint8Array | string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Called> {
		const form = new FormData();
		for (const [name, value] of Object.entries({ content_type: 'image/png', file_path: 'input/cat.png', ...fields }))
			form.append(name, value);
		form.append('file', new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), 'cat.png');
		return await this.call('POST', '/assets', { body: form, headers });
	}
}

/** Nothing, where the text is no JSON. */
function parse(text: string): Record<string, unknown> {
	try {
		return JSON.parse(text) as Record<string, unknown>;
	} catch {
		return {};
	}
}
