/** Plain HTTP and WebSocket to the engine. */
import { startSandbox, type Sandbox } from '../../../../sandbox';
import { Listener } from '../../../contract/v1/listener';

export type HistoryEntry = {
	prompt: unknown[];
	outputs: Record<string, Record<string, Array<{ filename: string; subfolder: string; type: string }>>>;
	status: { status_str: string; completed: boolean; messages: Array<[string, Record<string, unknown>]> };
};

export class Engine {
	readonly #listeners: Listener[] = [];

	constructor(private readonly sandbox: Sandbox) {}

	async fetch(path: string, init: RequestInit = {}): Promise<Response> {
		return await fetch(this.sandbox.urls.engine + path, init);
	}

	async post(path: string, json: unknown): Promise<{ status: number; text: string; json: Record<string, unknown> }> {
		const response = await this.fetch(path, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(json),
		});
		const text = await response.text();
		return { status: response.status, text, json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
	}

	async get<Body = Record<string, unknown>>(path: string): Promise<Body> {
		return (await (await this.fetch(path)).json()) as Body;
	}

	/** Submits and returns the prompt's id. */
	async started(prompt: unknown, rest: Record<string, unknown> = {}): Promise<string> {
		const { status, text, json } = await this.post('/prompt', { prompt, ...rest });
		if (status !== 200) throw new Error(`Not submitted: ${status} ${text}`);
		return String(json.prompt_id);
	}

	/** The history entry of a prompt, once it has ended. */
	async ended(id: string): Promise<HistoryEntry> {
		for (;;) {
			const entry = (await this.get<Record<string, HistoryEntry>>(`/history/${id}`))[id];
			if (entry !== undefined) return entry;
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	}

	/** Until a prompt runs. */
	async running(id: string): Promise<void> {
		while (!(await this.queued()).running.includes(id)) await new Promise((resolve) => setTimeout(resolve, 2));
	}

	/** Uploads a file as `image`, with further form fields. */
	async upload(
		bytes: Uint8Array,
		filename: string,
		fields: Record<string, string> = {},
		path = '/upload/image',
	): Promise<{ status: number; text: string; json: Record<string, unknown> }> {
		const form = new FormData();
		form.append('image', new Blob([bytes as Uint8Array<ArrayBuffer>]), filename);
		for (const [name, value] of Object.entries(fields)) form.append(name, value);
		const response = await this.fetch(path, { method: 'POST', body: form });
		const text = await response.text();
		return { status: response.status, text, json: response.ok ? (JSON.parse(text) as Record<string, unknown>) : {} };
	}

	/** Ids in the queue. */
	async queued(): Promise<{ running: unknown[]; pending: unknown[] }> {
		const { queue_running, queue_pending } = await this.get<Record<'queue_running' | 'queue_pending', unknown[][]>>('/queue');
		return { running: queue_running.map(([, id]) => id), pending: queue_pending.map(([, id]) => id) };
	}

	/** Resolves once the engine has sent its first status. */
	async connect(clientId?: string, path = '/ws'): Promise<Listener> {
		const listener = await Listener.open(`${this.sandbox.urls.engine}${path}${clientId === undefined ? '' : `?clientId=${clientId}`}`);
		this.#listeners.push(listener);
		await listener.next('status');
		return listener;
	}

	async disconnect(): Promise<void> {
		await Promise.all(this.#listeners.splice(0).map(async (listener) => await listener.close()));
	}
}

export const remaining = (listener: Listener): unknown[] =>
	listener.of('status').map(({ data }) => (data.status as { exec_info: { queue_remaining: number } }).exec_info.queue_remaining);

export interface FreshEngine {
	readonly sandbox: Sandbox;
	readonly engine: Engine;
}

/** A sandbox of its own for each test of a file. */
export function useFreshEngine(): FreshEngine {
	let sandbox: Sandbox;
	let engine: Engine;
	beforeEach(async () => {
		sandbox = await startSandbox();
		engine = new Engine(sandbox);
	});
	afterEach(async () => await sandbox.close());
	return {
		get sandbox() {
			return sandbox;
		},
		get engine() {
			return engine;
		},
	};
}
