/** The engine behind the self-hosted surface. It has the same jobs, which it reports as an engine does. */
import { isRecord } from '../json';
import type { SocketConnection } from '../socket/connections';
import { sendRunFrames, type Job } from '../service/job';
import { RunFrames, textFrame } from '../socket/runFrames';
import { withFileNames } from '../service/assets';
import { linesOf } from '../service/printed';
import { type JobOrder, type Service, startJob } from '../service/service';
import { partnerKeyIn } from '../service/traits';
import { EngineClients } from './clients';
import { EngineFiles } from './files';
import { ModelMemory } from './modelMemory';
import { Prompt, type Submission } from './prompt';

/** Engines hide these fields of a prompt's extra data. */
const SECRET_FIELD = /^(api_key|auth_token)_/;

/** What was printed at once. */
interface LogEntry {
	/** The server's time, without its zone. */
	t: string;
	m: string;
}

/** An engine keeps the newest ones. */
const MOST_LOG_ENTRIES = 300;

interface PromptOrder extends Pick<JobOrder, 'graph' | 'targets' | 'atFront'> {
	id: string;
	number: number;
	clientId: string | undefined;
	extraData: Record<string, unknown>;
}

export class LocalEngine {
	readonly files: EngineFiles;
	readonly #clients = new EngineClients();
	/** Both in the order of their submission. */
	readonly #pending = new Set<Prompt>();
	readonly #running = new Set<Prompt>();
	/** By id. If an id ran several times, the last run to end. */
	readonly #history = new Map<string, Prompt>();
	/** Set while a prompt is queued. Jobs from the proxy have none. */
	#submission: Submission | undefined;
	#nextNumber = 0;
	#log: readonly LogEntry[] = [];
	#isFreeRequested = false;
	/** The models of earlier prompts. */
	readonly memory: ModelMemory;

	constructor(private readonly service: Service) {
		this.files = new EngineFiles(service.assets);
		this.memory = new ModelMemory(service.behaviour);
		service.runner.setFileLookup((name) => this.files.loadable(name)?.blob);
		service.runner.onJob((job) => this.#addPrompt(job));
	}

	/** The features that its route and its sockets report. */
	get features(): Record<string, unknown> {
		const { engineUploadLimitBytes, nodeReplacements } = this.service.behaviour;
		return {
			supports_preview_metadata: true,
			max_upload_size: engineUploadLimitBytes,
			...(nodeReplacements !== null && { node_replacements: true }),
		};
	}

	get remaining(): number {
		return this.#running.size + this.#pending.size;
	}

	get running(): readonly Prompt[] {
		return [...this.#running];
	}

	get pending(): readonly Prompt[] {
		return [...this.#pending];
	}

	/** First to end first. */
	get ended(): readonly Prompt[] {
		return [...this.#history.values()];
	}

	/** The number of the next submission. Refused submissions use numbers too. */
	claimNumber(): number {
		this.#nextNumber += 1;
		return this.#nextNumber - 1;
	}

	submit({ id, graph, targets, number, atFront, clientId, extraData }: PromptOrder): void {
		const shown = Object.entries(extraData).filter(([field]) => !SECRET_FIELD.test(field));
		const stamp = this.service.behaviour.engineJobRoutes ? { create_time: Date.now() } : {};
		this.#submission = {
			number,
			clientId,
			extraData: { ...Object.fromEntries(shown), ...(clientId !== undefined && { client_id: clientId }), ...stamp },
		};
		try {
			startJob(this.service, 'local', {
				id,
				graph,
				partnerKey: partnerKeyIn(extraData),
				orderedFrom: 'engine',
				atFront,
				editorFile: isRecord(extraData.extra_pnginfo) ? extraData.extra_pnginfo.workflow : undefined,
				...(targets && { targets }),
			});
		} finally {
			this.#submission = undefined;
		}
	}

	/** Adds an entry to the log of the server. */
	print(text: string): void {
		this.#log = [...this.#log, { t: new Date().toISOString().replace('Z', ''), m: text }].slice(-MOST_LOG_ENTRIES);
	}

	get log(): readonly LogEntry[] {
		return this.#log;
	}

	/** Frees the memory at once, or when the running prompts have ended. */
	free(what: { models: boolean; caches: boolean }): void {
		this.service.ledger.frees.push({ ...what, unfinishedJobs: this.remaining, at: Date.now() });
		this.#isFreeRequested ||= what.models || what.caches;
		this.#freeIfIdle();
	}

	endedPrompt(id: string): Prompt | undefined {
		return this.#history.get(id);
	}

	forget(ids: readonly string[]): void {
		for (const id of ids) this.#history.delete(id);
	}

	forgetAll(): void {
		this.#history.clear();
	}

	/** Removes one pending prompt with this ID from the queue. Running prompts continue. */
	deletePending(id: string): void {
		this.#cancel(this.pending.filter(({ job }) => job.id === id).slice(0, 1));
	}

	clearPending(): void {
		this.#cancel(this.pending);
	}

	/** Stops running prompts; only the named one, unless the engine ignores names. */
	interrupt(id?: string): void {
		const named = this.service.behaviour.engineInterrupt === 'by_id' ? id : undefined;
		this.#cancel(this.running.filter(({ job }) => named === undefined || named === job.id));
	}

	/** Cancels a running or pending prompt. @returns false if there is none with this ID. */
	cancel(id: string): boolean {
		const found = [...this.#running, ...this.pending].filter(({ job }) => job.id === id).slice(0, 1);
		this.#cancel(found);
		return found.length > 0;
	}

	connect(connection: SocketConnection): void {
		const sid = this.#clients.open(connection);
		connection.send(this.#status({ sid }));
		for (const { submission, currentNode } of this.#running) {
			if (submission.clientId === sid && currentNode !== null) connection.send(textFrame('executing', { node: currentNode }));
		}
	}

	/** Clears the queue and the history, as a new process does. The proxy reports such jobs as expired. */
	restart(): void {
		const jobs = new Set([...this.service.jobs.values(), ...[...this.#running, ...this.pending].map(({ job }) => job)]);
		this.#history.clear();
		this.#nextNumber = 0;
		this.#log = [];
		for (const job of jobs) {
			const ended = job.isTerminal;
			job.setStatus('expired');
			if (ended) job.status = 'expired';
			else this.service.runner.cancel(job);
		}
	}

	#addPrompt(job: Job): void {
		const graph = withFileNames(job.graph, (assetId) => this.service.assets.nameInEngine(job.account, assetId) ?? assetId);
		// The proxy uses a separate client id for each job.
		const submission = this.#submission ?? { number: this.claimNumber(), clientId: job.id, extraData: { client_id: job.id } };
		const prompt = new Prompt(job, graph, submission);
		this.#pending.add(prompt);
		const frames = new RunFrames({
			promptId: job.id,
			graph,
			previews: 'plain',
			send: (frame) => {
				if (typeof frame === 'string') prompt.recordFrame(frame);
				this.#clients.send(submission.clientId, frame);
			},
			// The history has its entry only after the frame about the result of the run.
			onEnd: () => this.#updateLists(prompt),
		});
		sendRunFrames(job, frames, (output) => this.files.keep(output));
		job.onEvent((news) => {
			if (news.kind === 'status' && (!job.isTerminal || job.status === 'expired')) this.#updateLists(prompt);
		});
		this.#clients.broadcast(this.#status());
	}

	/** Moves a prompt to the list of its status, and broadcasts the length of the queue. A prompt that was canceled while pending is in no list. */
	#updateLists(prompt: Prompt): void {
		const { job } = prompt;
		this.#pending.delete(prompt);
		if (job.isTerminal) this.#running.delete(prompt);
		else this.#running.add(prompt);
		this.memory.load();
		this.#freeIfIdle();
		if (job.isTerminal && job.status !== 'expired') {
			for (const line of linesOf(job)) this.print(line);
			this.#history.set(job.id, prompt);
		}
		this.#clients.broadcast(this.#status());
	}

	#freeIfIdle(): void {
		if (!this.#isFreeRequested || this.#running.size > 0) return;
		this.#isFreeRequested = false;
		this.memory.unload();
	}

	#status(extra: { sid?: string } = {}): string {
		return textFrame('status', { status: { exec_info: { queue_remaining: this.remaining } }, ...extra });
	}

	#cancel(prompts: readonly Prompt[]): void {
		const { runner, ledger } = this.service;
		for (const { job } of [...prompts]) {
			ledger.cancels.push({ jobId: job.id, surface: 'engine', at: Date.now() });
			runner.cancel(job);
		}
	}
}
