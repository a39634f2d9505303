/** The engine behind the self-hosted surface: the same jobs under the names and habits of an engine. */
import type { SocketConnection } from '../socket/connection';
import { followRun } from '../socket/followRun';
import { textFrame } from '../socket/frames';
import { RunFrames } from '../socket/runFrames';
import { withFileNames } from '../v2/jobs/inputs';
import type { Job } from '../v2/jobs/job';
import { startJob, type JobOrder } from '../v2/jobs/start';
import type { Service } from '../v2/service';
import { isPartnerKeyField } from '../v2/traits';
import { EngineClients } from './clients';
import { EngineFiles } from './files';
import { Prompt, type Submission } from './prompt';

/** Engines never show these of a prompt's extra data. */
const SECRET_FIELD = /^(api_key|auth_token)_/;

export interface PromptOrder extends Pick<JobOrder, 'graph' | 'targets'> {
	clientId: string | undefined;
	extraData: Record<string, unknown>;
	number: number | undefined;
	/** Shown in the number alone: prompts run in the order they come. */
	front: boolean;
}

export class LocalEngine {
	readonly files: EngineFiles;
	readonly #clients = new EngineClients();
	/** Oldest first; the queue, and the history of what has ended. */
	readonly #prompts = new Map<string, Prompt>();
	/** Of prompts on their way into the queue; what comes from the proxy has none. */
	readonly #submissions = new Map<string, Submission>();
	#lastNumber = 0;

	constructor(private readonly service: Service) {
		this.files = new EngineFiles(service.assets);
		service.runner.followJobs((job) => this.#follow(job));
	}

	get remaining(): number {
		return this.#ofStatus('running').length + this.#ofStatus('queued').length;
	}

	/** Returns what the engine answers. */
	submit(id: string, { graph, targets, clientId, extraData, number, front }: PromptOrder): Record<string, unknown> {
		const place = number ?? (front ? -this.#nextNumber() : this.#nextNumber());
		const shown = Object.entries(extraData).filter(([field]) => !SECRET_FIELD.test(field));
		this.#submissions.set(id, { number: place, clientId, extraData: { ...Object.fromEntries(shown), ...(clientId !== undefined && { client_id: clientId }) } });
		const [field, value] = Object.entries(extraData).find(([name]) => isPartnerKeyField(name)) ?? [];
		const partnerKey = field !== undefined && typeof value === 'string' ? { field, value } : undefined;
		startJob(this.service, 'local', { id, graph, inputIds: new Set(), partnerKey, queueLimit: Infinity, ...(targets && { targets }) });
		return { prompt_id: id, number: place, node_errors: {} };
	}

	get queue(): Record<string, unknown> {
		const entries = (status: Job['status']): unknown[] => this.#ofStatus(status).map(({ queueEntry }) => queueEntry);
		return { queue_running: entries('running'), queue_pending: entries('queued') };
	}

	/** Prompt id → entry, of prompts that have ended. @param maxItems of the newest; all when undefined. */
	history(maxItems?: number): Record<string, unknown> {
		const ended = [...this.#prompts.values()].filter(({ job }) => job.terminal);
		const shown = maxItems === undefined ? ended : ended.slice(Math.max(0, ended.length - maxItems));
		return Object.fromEntries(shown.map((prompt) => [prompt.job.id, prompt.historyEntry]));
	}

	/** The entry of one prompt; nothing while it has not ended. */
	historyOf(id: string): Record<string, unknown> {
		const prompt = this.#prompts.get(id);
		return prompt?.job.terminal === true ? { [id]: prompt.historyEntry } : {};
	}

	/** Takes pending prompts out of the queue, all unless some are named; what runs goes on. */
	deletePending(ids?: ReadonlySet<string>): void {
		this.#cancel(this.#ofStatus('queued').filter(({ job }) => ids === undefined || ids.has(job.id)));
	}

	/** Stops what runs; only that prompt, where one is named. */
	interrupt(id?: string): void {
		this.#cancel(this.#ofStatus('running').filter(({ job }) => id === undefined || id === job.id));
	}

	connect(connection: SocketConnection): void {
		const sid = this.#clients.open(connection);
		connection.send(this.#status({ sid }));
		for (const { submission, currentNode } of this.#ofStatus('running')) {
			if (submission.clientId === sid && currentNode !== null) connection.send(textFrame('executing', { node: currentNode }));
		}
	}

	/** Forgets the queue and the history, as a new process does. Whoever asks the proxy for such a job hears that it has expired. */
	restart(): void {
		this.#prompts.clear();
		for (const job of this.service.jobs.values()) {
			const ended = job.terminal;
			job.become('expired');
			if (ended) job.status = 'expired';
			else this.service.runner.cancel(job);
		}
	}

	#follow(job: Job): void {
		const graph = withFileNames(job.graph, (assetId) => this.service.assets.get(job.account, assetId)?.filePath ?? assetId);
		// The proxy gives each job a client id of its own.
		const submission = this.#submissions.get(job.id) ?? { number: this.#nextNumber(), clientId: job.id, extraData: { client_id: job.id } };
		this.#submissions.delete(job.id);
		const prompt = new Prompt(job, graph, submission);
		this.#prompts.set(job.id, prompt);
		const frames = new RunFrames({
			promptId: job.id,
			graph,
			previews: () => (this.#clients.supports(submission.clientId, 'supports_preview_metadata') ? 'metadata' : 'plain'),
			send: (frame) => {
				if (typeof frame === 'string') prompt.note(frame);
				this.#clients.send(submission.clientId, frame);
			},
		});
		followRun(job, frames, (output) => this.files.keep(output));
		job.listen((news) => {
			if (news.kind !== 'status') return;
			// It was still pending, and leaves no trace.
			if (job.status === 'expired') this.#prompts.delete(job.id);
			this.#clients.broadcast(this.#status());
		});
		this.#clients.broadcast(this.#status());
	}

	#status(extra: { sid?: string } = {}): string {
		return textFrame('status', { status: { exec_info: { queue_remaining: this.remaining } }, ...extra });
	}

	#ofStatus(status: Job['status']): Prompt[] {
		return [...this.#prompts.values()].filter(({ job }) => job.status === status);
	}

	#cancel(prompts: Prompt[]): void {
		const { runner, ledger, surface } = this.service;
		for (const { job } of prompts) {
			ledger.cancels.push({ jobId: job.id, surface, at: Date.now() });
			runner.cancel(job);
		}
	}

	#nextNumber(): number {
		this.#lastNumber += 1;
		return this.#lastNumber;
	}
}
