/** Plain HTTP to one surface of the sandbox, every answer held against the contract. */
import { createHash } from 'node:crypto';
import { blake3 } from '@noble/hashes/blake3';
import type { Sandbox, ServiceSurface } from '../../sandbox';
import { type Answered, checkedCall, OpenApi, type RequestOptions } from './openApi';

export const v2 = new OpenApi('v2.yaml');

export interface CallOptions extends RequestOptions {
	/** `null` for none; the surface's own by default. */
	key?: string | null;
}

export interface Called extends Answered {
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
		return {
			hosted: this.sandbox.keys.apiKey,
			deployment: this.sandbox.keys.apiKey,
			self_hosted_token: this.sandbox.keys.bearer,
			self_hosted: undefined,
		}[this.surface];
	}

	/** @throws Error that names every way in which the answer deviates from the contract. */
	async call(operationId: string, { key = this.key, headers, ...options }: CallOptions = {}): Promise<Called> {
		const credential: Record<string, string> = key == null ? {} : { authorization: `Bearer ${key}` };
		const answered = await checkedCall(v2, operationId, `${this.address}/api/v2`, { ...options, headers: { ...credential, ...headers } });
		this.note(operationId, answered.status);
		return { ...answered, code: (answered.json.error as { code?: unknown } | null | undefined)?.code };
	}

	private note(operationId: string, status: number): void {
		const statuses = this.seen.get(operationId) ?? new Map<number, Set<ServiceSurface>>();
		this.seen.set(operationId, statuses);
		statuses.set(status, (statuses.get(status) ?? new Set()).add(this.surface));
	}

	async upload(bytes: Uint8Array, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Called> {
		const form = uploadForm(bytes, { content_type: 'image/png', file_path: 'input/picture.png', ...fields });
		return await this.call('createAsset', { form, headers });
	}

	async submit(workflow: unknown, headers: Record<string, string> = {}, rest: object = {}): Promise<Called> {
		return await this.call('submitJob', { json: { workflow, ...rest }, headers });
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

/** Bytes with new content. */
export const freshBytes = (seed: string): Buffer => createHash('sha512').update(seed).update(String(Math.random())).digest();

export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
