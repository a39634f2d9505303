/** Plain HTTP to one surface of the sandbox, every answer held against the contract. */
import { createHash } from 'node:crypto';
import { blake3 } from '@noble/hashes/blake3';
import type { Sandbox, ServiceSurface } from '../../sandbox';
import { operations, problemsOf, type Answer, type Operation } from './contract';

export interface CallOptions {
	/** For `{id}` or `{hash}` of the path. */
	name?: string;
	query?: string;
	json?: unknown;
	form?: FormData;
	headers?: Record<string, string>;
	/** `null` for none; the surface's own by default. */
	key?: string | null;
}

export interface Called {
	status: number;
	headers: Headers;
	bytes: Buffer;
	json: Record<string, unknown>;
	/** `error.code` of a refusal. */
	code: unknown;
}

/** Which statuses of which operation were answered, on which surface. */
export type Seen = Map<string, Map<number, Set<ServiceSurface>>>;

export class Service {
	constructor(
		private readonly sandbox: Sandbox,
		readonly surface: ServiceSurface,
		private readonly seen: Seen = new Map(),
	) {}

	get selfHosted(): boolean {
		return this.surface.startsWith('self_hosted');
	}

	get address(): string {
		return this.sandbox.urls[this.surface === 'self_hosted_token' ? 'self_hosted_token_url' : this.surface];
	}

	get key(): string | undefined {
		return { hosted: this.sandbox.keys.apiKey, deployment: this.sandbox.keys.apiKey, self_hosted_token: this.sandbox.keys.bearer, self_hosted: undefined }[this.surface];
	}

	/** @throws Error that names every way in which the answer deviates from the contract. */
	async call(operationId: string, options: CallOptions = {}): Promise<Called> {
		const operation = operations.get(operationId) as Operation;
		const answer = await this.send(operation, options);
		this.note(operationId, answer.status);
		const problems = problemsOf(operationId, answer);
		if (problems.length > 0) {
			throw new Error(`${operationId} on ${this.surface}, ${answer.status}: ${problems.join('; ')}\n${answer.body.toString('utf8').slice(0, 2000)}`);
		}
		const isJson = answer.body.length > 0 && answer.headers.get('content-type')?.startsWith('application/json');
		const json = isJson ? (JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>) : {};
		return { status: answer.status, headers: answer.headers, bytes: answer.body, json, code: (json.error as { code?: unknown } | null | undefined)?.code };
	}

	private async send({ method, path }: Operation, { name = '', query, json, form, headers, key = this.key }: CallOptions): Promise<Answer> {
		const url = `${this.address}/api/v2${path.replace(/\{\w+\}/, encodeURIComponent(name))}${query === undefined ? '' : `?${query}`}`;
		const response = await fetch(url, {
			method,
			redirect: 'manual',
			headers: { ...(key != null && { authorization: `Bearer ${key}` }), ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
			body: form ?? (json === undefined ? null : JSON.stringify(json)),
		});
		return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
	}

	private note(operationId: string, status: number): void {
		const statuses = this.seen.get(operationId) ?? new Map<number, Set<ServiceSurface>>();
		this.seen.set(operationId, statuses);
		statuses.set(status, (statuses.get(status) ?? new Set()).add(this.surface));
	}

	async upload(bytes: Uint8Array, fields: Record<string, string> = {}): Promise<Called> {
		return await this.call('createAsset', { form: uploadForm(bytes, { content_type: 'image/png', file_path: 'inputs/picture.png', ...fields }) });
	}

	async submit(workflow: unknown, headers: Record<string, string> = {}): Promise<Called> {
		return await this.call('submitJob', { json: { workflow }, headers });
	}

	/** Submits, and reads the job until it has ended. */
	async run(workflow: unknown): Promise<Called> {
		return await this.reads(String((await this.submit(workflow)).json.id), ['succeeded', 'failed', 'canceled', 'expired']);
	}

	/** Reads a job until it has one of these statuses. */
	async reads(name: string, statuses: string[]): Promise<Called> {
		for (;;) {
			const job = await this.call('getJob', { name });
			if (statuses.includes(String(job.json.status))) return job;
			await new Promise((resolve) => setTimeout(resolve, 10));
		}
	}
}

/** Fields in the order given, the file last. */
export function uploadForm(bytes: Uint8Array, fields: Record<string, string>): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	form.append('file', new Blob([new Uint8Array(bytes)]), 'file');
	return form;
}

export const hashOf = (bytes: Uint8Array): string => `blake3:${Buffer.from(blake3(bytes)).toString('hex')}`;

/** Bytes that nobody has uploaded before. */
export const freshBytes = (seed: string): Buffer => createHash('sha512').update(seed).update(String(Math.random())).digest();

export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
