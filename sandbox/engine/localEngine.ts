/** The engine behind the self-hosted surface: the same jobs under the names and habits of an engine. */
import type { SocketConnection } from '../socket/connections';
import { followRun, type Job } from '../service/job';
import { RunFrames, textFrame } from '../socket/runFrames';
import { withFileNames } from '../service/assets';
import { type JobOrder, type Service, startJob } from '../service/service';
import { isPartnerKeyField } from '../service/traits';
import { EngineClients } from './clients';
import { EngineFiles } from './files';
import { Prompt, PromptQueue, type Submission } from './prompt';

/** Engines never show these of a prompt's extra data. */
const SECRET_FIELD = /^(api_key|auth_token)_/;

interface PromptOrder extends Pick<JobOrder, 'graph' | 'targets'> {
	id: string;
	number: number;
	clientId: string | undefined;
	extraData: Record<string, unknown>;
}

export class LocalEngine {
	readonly files: EngineFiles;
	readonly #clients = new EngineClients(() => this.features);
	readonly #pending = new PromptQueue();
	readonly #running = new Set<Prompt>();
	/** By id; of several runs of one id the last to end. */
	readonly #history = new Map<string, Prompt>();
	/** Of the prompt on its way into the queue; what comes from the proxy has none. */
	#submission: Submission | undefined;
	#nextNumber = 0;

	constructor(private readonly service: Service) {
		this.files = new EngineFiles(service.assets);
		service.runner.lookUpFiles((name) => this.files.loadable(name)?.blob);
		service.runner.followJobs((job) => this.#follow(job));
	}

	/** As it tells them, by its route and on sockets. */
	get features(): Record<string, unknown> {
		return { supports_preview_metadata: true, max_upload_size: this.service.behaviour.engineUploadLimitBytes };
	}

	get remaining(): number {
		return this.#running.size + this.#pending.shown.length;
	}

	get running(): readonly Prompt[] {
		return [...this.#running];
	}

	get pending(): readonly Prompt[] {
		return this.#pending.shown;
	}

	/** First to end first. */
	get ended(): readonly Prompt[] {
		return [...this.#history.values()];
	}

	/** Every submission that brings no number of its own takes one, refused ones as well. */
	takeNumber(): number {
		this.#nextNumber += 1;
		return this.#nextNumber - 1;
	}

	submit({ id, graph, targets, number, clientId, extraData }: PromptOrder): void {
		const shown = Object.entries(extraData).filter(([field]) => !SECRET_FIELD.test(field));
		const stamp = this.service.behaviour.engineJobRoutes ? { create_time: Date.now() } : {};
		this.#submission = {
			number,
			clientId,
			extraData: { ...Object.fromEntries(shown), ...(clientId !== undefined && { client_id: clientId }), ...stamp },
		};
		const [field, value] = Object.entries(extraData).find(([name]) => isPartnerKeyField(name)) ?? [];
		const partnerKey = field !== undefined && typeof value === 'string' ? { field, value } : undefined;
		try {
			startJob(this.service, 'local', {
				id,
				graph,
				inputIds: new Set(),
				partnerKey,
				cameBy: 'engine',
				queueLimit: Infinity,
				...(targets && { targets }),
			});
		} finally {
			this.#submission = undefined;
		}
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

	/** Takes one pending prompt of this id out of the queue; what runs goes on. */
	deletePending(id: string): void {
		this.#cancel(this.pending.filter(({ job }) => job.id === id).slice(0, 1));
	}

	clearPending(): void {
		this.#cancel(this.pending);
	}

	/** Stops what runs; only that prompt, where one is named and the engine pays heed. */
	interrupt(id?: string): void {
		const named = this.service.behaviour.engineInterrupt === 'by_id' ? id : undefined;
		this.#cancel(this.running.filter(({ job }) => named === undefined || named === job.id));
	}

	/** Whichever of the two it takes; returns whether there was something to stop. */
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

	/** Forgets the queue and the history, as a new process does. Whoever asks the proxy for such a job hears that it has expired. */
	restart(): void {
		const jobs = new Set([...this.service.jobs.values(), ...[...this.#running, ...this.pending].map(({ job }) => job)]);
		this.#history.clear();
		this.#nextNumber = 0;
		for (const job of jobs) {
			const ended = job.terminal;
			job.become('expired');
			if (ended) job.status = 'expired';
			else this.service.runner.cancel(job);
		}
	}

	#follow(job: Job): void {
		const graph = withFileNames(job.graph, (assetId) => this.service.assets.nameInEngine(job.account, assetId) ?? assetId);
		// The proxy gives each job a client id of its own.
		const submission = this.#submission ?? { number: this.takeNumber(), clientId: job.id, extraData: { client_id: job.id } };
		job.place = submission.number;
		const prompt = new Prompt(job, graph, submission);
		this.#pending.add(prompt);
		const frames = new RunFrames({
			promptId: job.id,
			graph,
			previews: () => (this.#clients.supports(submission.clientId, 'supports_preview_metadata') ? 'metadata' : 'plain'),
			send: (frame) => {
				if (typeof frame === 'string') prompt.note(frame);
				this.#clients.send(submission.clientId, frame);
			},
			// The history has its entry only after the frame that says how the run ended.
			settled: () => this.#move(prompt),
		});
		followRun(job, frames, (output) => this.files.keep(output));
		job.listen((news) => {
			if (news.kind === 'status' && (!job.terminal || job.status === 'expired')) this.#move(prompt);
		});
		this.#clients.broadcast(this.#status());
	}

	/** To where a prompt of its status belongs, and tells of the queue. What was still pending at its end leaves no trace. */
	#move(prompt: Prompt): void {
		const { job } = prompt;
		this.#pending.remove(prompt);
		if (job.terminal) this.#running.delete(prompt);
		else this.#running.add(prompt);
		if (job.terminal && job.status !== 'expired') this.#history.set(job.id, prompt);
		this.#clients.broadcast(this.#status());
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
