/** Three sandbox engines behind one credential, and a workflow that runs many rows on them. */
import { setTimeout as delay } from 'node:timers/promises';
import { type FaultRule, type RecordedRequest, type Sandbox, type SandboxJob, startSandbox } from '../../../sandbox';
import {
	importCredentials,
	importWorkflow,
	type SavedCredential,
	type SavedWorkflow,
	type WorkflowNode,
} from '../../../scripts/n8nHost/documents';
import { onServer, serverDocument } from './engine';
import { file, row, startByCall, webhook } from './guardedFlows';
import { type OwnHost } from './ownHost';
import { until } from './until';
import { items, line } from './workflows';

export const RUN = 'comfyRunWorkflow';
/** Part of the sign-in of N8nRest. */
const BROWSER_ID = 'n8n-nodes-comfy';
const PROMPT = 'POST /api/prompt';
const VIEW = 'GET /api/view';
const BEHAVIOUR = { engineConcurrency: 1, engineJobRoutes: true, progressIntervalMs: 50 };

/** A picture with a color and a file name for each row. It stays at the gate while the gate of its engine is closed. */
const picture = {
	'1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
	'2': { class_type: 'SandboxSampler', inputs: { image: ['1', 0], steps: 3, step_ms: 50, seed: 1 } },
	'3': { class_type: 'SandboxGate', inputs: { image: ['2', 0] } },
	'4': { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: 'row' } },
};

const rowOf = (job: SandboxJob | undefined): number => Number(job?.graph['1']?.inputs.color);

/** The rows of the jobs that an engine had when it was killed. */
export interface KilledRows {
	/** n8n had their files. */
	done: number[];
	/** The job had finished, and n8n received a part of its file. */
	undelivered: number[];
	/** The engine had answered the submission, and the job had not finished. */
	running: number[];
	/** The engine had accepted the job, and its answer had not arrived. */
	unanswered: number[];
}

export class Pool {
	private constructor(
		private readonly host: OwnHost,
		readonly engines: readonly Sandbox[],
		private readonly credentials: SavedCredential[],
	) {}

	static async open(host: OwnHost): Promise<Pool> {
		const { session } = host;
		session.sandbox.configure(BEHAVIOUR);
		const engines = [session.sandbox, await startSandbox(BEHAVIOUR), await startSandbox(BEHAVIOUR)];
		const [, ...others] = engines.map(({ urls }) => urls.engine);
		const document = serverDocument(session, { engineIsElsewhere: false, hasMoreServers: true, moreServers: others.join('\n') });
		return new Pool(host, engines, await importCredentials(session.rest, [document]));
	}

	/** The host closes the sandbox of its session. */
	async close(): Promise<void> {
		await Promise.all(this.engines.slice(1).map(async (engine) => await engine.close()));
	}

	/** Removes all jobs and records of earlier tests. */
	reset(): void {
		for (const { restartEngine, resetRecords, ledger } of this.engines) {
			restartEngine();
			resetRecords();
			ledger.runs.length = 0;
		}
	}

	/** Saves a workflow with a webhook, the rows, and Run Workflow. */
	async publish(tag: string, rows: number, options: object, settings: Partial<WorkflowNode> = {}): Promise<SavedWorkflow> {
		const { rest } = this.host.session;
		const values = [row('1.color', '={{ $json.index }}'), row('4.filename_prefix', `={{ '${tag}-' + $json.index }}`)];
		const parameters = { workflow: JSON.stringify(picture), inputs: { values }, options: { concurrency: 20, ...options } };
		const document = line(tag, [webhook(tag), ...items(rows), onServer(RUN, parameters, settings), file]);
		const workflow = await importWorkflow(rest, document, this.credentials);
		await rest.activate(workflow);
		return workflow;
	}

	/** Calls the webhook. @returns the id of the execution. */
	async start(workflow: SavedWorkflow): Promise<string> {
		return await startByCall(this.host.session.rest, workflow);
	}

	/** Changes the Run Workflow node, and retries the execution with the saved workflow. @returns the id of the retry. */
	async retryWith({ id, nodes }: SavedWorkflow, executionId: string, settings: Partial<WorkflowNode>): Promise<string> {
		const changed = nodes.map((node) => (node.name === RUN ? { ...node, ...settings } : node));
		await this.send('PATCH', `/workflows/${id}`, { nodes: changed });
		return (await this.send<{ id: string }>('POST', `/executions/${executionId}/retry`, { loadWorkflow: true })).id;
	}

	/** Returns the rows whose jobs each engine has accepted, from the ledgers. */
	acceptedRows(): number[][] {
		return this.engines.map((engine) => engine.ledger.runs.map(({ jobId }) => rowOf(engine.job(jobId))));
	}

	/** Returns the rows that were accepted `times` times. */
	rowsAccepted(times: number): number[] {
		const all = this.acceptedRows().flat();
		const counts = (wanted: number): number => all.filter((one) => one === wanted).length;
		return sorted([...new Set(all)].filter((one) => counts(one) === times));
	}

	async untilFinished(count: number): Promise<void> {
		await until(`the end of ${count} jobs`, () => this.engines.flatMap(jobsOf('succeeded')).length >= count || undefined);
	}

	/**
	 * Kills an engine while one job has not finished, one file is half delivered, and the answer to one submission is missing. Its connections
	 * are cut, and its queue and history are lost. Its output files remain.
	 * @param isAnswered whether all submissions are answered instead. Then two jobs have not finished.
	 */
	async kill(nth: number, isAnswered = false): Promise<KilledRows> {
		const engine = this.engines[nth] as Sandbox;
		const faults: FaultRule[] = [{ on: VIEW, surface: 'engine', fault: { kind: 'stall', afterBytes: 20 } }];
		if (!isAnswered) faults.push({ on: PROMPT, surface: 'engine', fault: { kind: 'stall' } });
		await until('the first jobs', () => jobsOf('succeeded')(engine).length >= 5 || undefined);
		const stalls = faults.map((rule) => engine.inject(rule));
		await until('the stalls', () => stalls.every(({ used }) => used === 1) || undefined);
		engine.configure({ gateOpen: false });
		// An engine has two jobs of a run. The one without an answer is one of them.
		const counts = isAnswered ? [2, 0] : [1, 1];
		const rows = await until('only these jobs', () => {
			const found = this.rowsOn(engine);
			const { running, undelivered, unanswered } = found;
			const isThere = running.length === counts[0] && unanswered.length === counts[1] && undelivered.length === 1;
			return isThere ? found : undefined;
		});
		engine.restartEngine();
		await engine.stopEngine();
		engine.clearFaults();
		engine.configure({ gateOpen: true });
		return rows;
	}

	/** Starts a killed engine at the same address after this time. */
	async startAfter(nth: number, milliseconds: number): Promise<void> {
		const engine = this.engines[nth] as Sandbox;
		await delay(milliseconds);
		engine.restartEngine();
		await engine.startEngine();
	}

	private async send<T>(method: string, path: string, body: object): Promise<T> {
		const { url, session } = this.host.session.rest;
		const headers = { 'content-type': 'application/json', 'browser-id': BROWSER_ID, cookie: session };
		const answer = await fetch(`${url}/rest${path}`, { method, headers, body: JSON.stringify(body) });
		if (!answer.ok) throw new Error(`n8n answered ${answer.status} to ${method} ${path}: ${await answer.text()}`);
		return ((await answer.json()) as { data: T }).data;
	}

	private rowsOn(engine: Sandbox): KilledRows {
		const [finished, running] = [jobsOf('succeeded')(engine), [...jobsOf('running')(engine), ...jobsOf('queued')(engine)]];
		const unanswered = engine.requests(PROMPT, 'engine').filter(isOpen);
		const downloads = engine.requests(VIEW, 'engine');
		const isAsked = ({ id }: SandboxJob): boolean => unanswered.some(({ bodyText }) => bodyText.includes(id));
		const isViewed = (of: RecordedRequest[]) => (job: SandboxJob) => of.some(({ query }) => query.includes(`filename=${prefixOf(job)}_`));
		const answered = finished.filter((job) => !isAsked(job));
		const done = answered.filter(isViewed(downloads.filter((one) => !isOpen(one))));
		return {
			done: done.map(rowOf),
			undelivered: answered.filter((job) => !done.includes(job)).map(rowOf),
			running: running.filter((job) => !isAsked(job)).map(rowOf),
			unanswered: [...finished, ...running].filter(isAsked).map(rowOf),
		};
	}
}

export const sorted = (numbers: number[]): number[] => [...numbers].sort((one, other) => one - other);

const jobsOf =
	(wanted: SandboxJob['status']) =>
	(engine: Sandbox): SandboxJob[] =>
		engine.jobs('self_hosted').filter(({ status }) => status === wanted);

const isOpen = ({ finished }: RecordedRequest): boolean => !finished;
const prefixOf = ({ graph }: SandboxJob): string => String(graph['4']?.inputs.filename_prefix);
