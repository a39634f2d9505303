/** Plain HTTP and WebSocket to the hosted surface, every answer held against contract/v1.yaml. */
import { randomInt } from 'node:crypto';
import sharp from 'sharp';
import type { Sandbox } from '../../../sandbox';
import { type Answered, checkedCall, type RequestOptions } from '../openApi';
import { v1 } from './frames';
import { Listener } from './listener';

export { v1 } from './frames';

export interface CallOptions extends RequestOptions {
	/** `null` for none; that of the main account by default. */
	key?: string | null;
}

const TERMINAL = ['success', 'completed', 'error', 'failed', 'non_retryable_error', 'lost', 'cancelled'];

/** A small picture with new content. */
export async function freshPicture(): Promise<Buffer> {
	const [r, g, b] = [randomInt(256), randomInt(256), randomInt(256)];
	return await sharp({ create: { width: 8, height: 8, channels: 4, background: { r, g, b, alpha: 0.5 } } })
		.png()
		.toBuffer();
}

export class HostedV1 {
	/** Which statuses each operation answered. */
	readonly seen = new Map<string, Set<number>>();

	constructor(private readonly sandbox: Sandbox) {}

	async call(operationId: string, { key = this.sandbox.keys.apiKey, headers, ...options }: CallOptions = {}): Promise<Answered> {
		const credential: Record<string, string> = key === null ? {} : { 'x-api-key': key };
		const answered = await checkedCall(v1, operationId, this.sandbox.urls.hosted, { ...options, headers: { ...credential, ...headers } });
		this.#note(operationId, answered.status);
		return answered;
	}

	async listen(token = this.sandbox.keys.apiKey): Promise<Listener> {
		const listener = await Listener.open(`${this.sandbox.urls.hosted}/ws?${new URLSearchParams({ token }).toString()}`);
		this.#note('openSocket', 101);
		return listener;
	}

	#note(operationId: string, status: number): void {
		this.seen.set(operationId, (this.seen.get(operationId) ?? new Set<number>()).add(status));
	}

	/** A new picture, unless other bytes are given. */
	async upload(operationId: 'uploadImage' | 'uploadMask', fields: Record<string, string> = {}, bytes?: Uint8Array): Promise<Answered> {
		const form = new FormData();
		form.append('image', new Blob([new Uint8Array(bytes ?? (await freshPicture()))]), 'picture.png');
		for (const [name, value] of Object.entries(fields)) form.append(name, value);
		return await this.call(operationId, { form });
	}

	async submit(prompt: unknown): Promise<Answered> {
		return await this.call('submitPrompt', { json: { prompt } });
	}

	/** Submits and returns the new job's id. */
	async started(prompt: unknown): Promise<string> {
		const { status, json } = await this.submit(prompt);
		if (status !== 200) throw new Error(`Not submitted: ${status} ${JSON.stringify(json)}`);
		return String(json.prompt_id);
	}

	async status(name: string): Promise<string> {
		return String((await this.call('getJobStatus', { name })).json.status);
	}

	/** Reads a job's status until it is one of these; until it has ended, where none are named. */
	async reaches(name: string, ...statuses: string[]): Promise<string> {
		for (;;) {
			const status = await this.status(name);
			if ((statuses.length > 0 ? statuses : TERMINAL).includes(status)) return status;
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	}

	/** Submits and waits for the end; returns the job's id. */
	async run(prompt: unknown): Promise<string> {
		const name = await this.started(prompt);
		await this.reaches(name);
		return name;
	}
}
