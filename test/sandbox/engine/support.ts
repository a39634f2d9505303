/** Plain HTTP and WebSocket to the engine. */
import { startSandbox, type Sandbox } from '../../../sandbox';
import { until } from '../../support/until';
import { Listener } from '../../contract/v1/listener';

export interface HistoryEntry {
	prompt: unknown[];
	outputs: Record<string, unknown>;
	status: { status_str: string; messages: Array<[string, Record<string, unknown>]> };
}

export class Engine {
	readonly #listeners: Listener[] = [];

	private constructor(readonly sandbox: Sandbox) {}

	static async start(): Promise<Engine> {
		return new Engine(await startSandbox());
	}

	async fetch(path: string, init: RequestInit = {}): Promise<Response> {
		return await fetch(this.sandbox.urls.engine + path, init);
	}

	async post(path: string, json: unknown): Promise<{ status: number; json: Record<string, unknown> }> {
		const response = await this.fetch(path, { method: 'POST', body: JSON.stringify(json) });
		const text = await response.text();
		return { status: response.status, json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
	}

	async get<Body = Record<string, unknown>>(path: string): Promise<Body> {
		return (await (await this.fetch(path)).json()) as Body;
	}

	/** Submits and returns the prompt's id. */
	async started(prompt: unknown, rest: Record<string, unknown> = {}): Promise<string> {
		return String((await this.post('/prompt', { prompt, ...rest })).json.prompt_id);
	}

	/** The history entry of a prompt, once it has ended. */
	async ended(id: string): Promise<HistoryEntry> {
		for (;;) {
			const entry = (await this.get<Record<string, HistoryEntry>>(`/history/${id}`))[id];
			if (entry !== undefined) return entry;
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	}

	/** Ids in the queue. */
	async queued(): Promise<{ running: unknown[]; pending: unknown[] }> {
		const { queue_running, queue_pending } = await this.get<Record<'queue_running' | 'queue_pending', unknown[][]>>('/queue');
		return { running: queue_running.map(([, id]) => id), pending: queue_pending.map(([, id]) => id) };
	}

	async running(id: string): Promise<void> {
		await until(() => this.sandbox.ledger.executedNodes.some(({ jobId, nodeId }) => jobId === id && nodeId === 'image'));
	}

	async upload(text: string, filename: string): Promise<void> {
		const form = new FormData();
		form.append('image', new Blob([text]), filename);
		await this.fetch('/upload/image', { method: 'POST', body: form });
	}

	async view(query: Record<string, string>): Promise<Response> {
		return await this.fetch(`/view?${new URLSearchParams(query).toString()}`);
	}

	/** Resolves once the engine has sent its first status. */
	async connect(clientId: string): Promise<Listener> {
		const listener = await Listener.open(`${this.sandbox.urls.engine}/ws?clientId=${clientId}`);
		this.#listeners.push(listener);
		await listener.next('status');
		return listener;
	}

	async close(): Promise<void> {
		await Promise.all(this.#listeners.splice(0).map(async (listener) => await listener.close()));
		await this.sandbox.close();
	}
}
