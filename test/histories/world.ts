import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay, setImmediate as turnOfLoop } from 'node:timers/promises';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { claimedJobs } from '../../client/recovery/claimedJobs';
import { DEFAULT_BEHAVIOUR } from '../../sandbox/behaviour';
import type { FaultHandle, Sandbox } from '../../sandbox';
import { routeMatcher } from '../../sandbox/http/recorder';
import { isSandboxPool, membersOf, type SandboxPool } from '../support/sandboxPool';
import { until } from '../support/until';
import { type FaultName, FAULTS, LATE_MS } from './faults';
import type { Action, History, Incident } from './history';
import type { Asked, Interface } from './interfaces/interface';
import { DiedError, Life, type SentRequest } from './life';
import { n8nExecution } from './n8nExecution';

const MINUTE_MS = 60_000;
/** A loaded machine needs minutes for the 110 jobs of others. */
const CALM_WITHIN_MS = 5 * MINUTE_MS;
/** While the service restarts. */
const REFUSED_CONNECTIONS = 2;
/**
 * How long a server of a pool is not reachable, in real milliseconds; the client waits ten times as fast. Between runs it is long
 * enough for a run to stop looking for a job, and during a run long enough to try another server.
 */
const OUTAGE_MS = { between: 8_000, during: 2_000 };
/** After all that happens, of executions that nothing disturbs. */
export const LAST_RETRIES = 6;

/** What n8n has of an execution. */
interface Kept {
	executionId: string;
	first: string | undefined;
	context: IDataObject;
	establishedAt: number;
	/** As n8n has saved it when it was stopped: nothing of what the node does after that. */
	saved?: IDataObject;
}

/** How one run of the node ended. */
export type RunEnd = { items: INodeExecutionData[]; failure?: undefined } | { failure: string; items?: undefined };

interface Failure {
	message?: string;
	description?: string | null;
}

const copyOf = (context: IDataObject): IDataObject => JSON.parse(JSON.stringify(context)) as IDataObject;

const words = (error: unknown): string => {
	const { message = '', description } = error as Failure;
	return [message, description].filter(Boolean).join('\n');
};

const TURNS = 10;

/** What was written has come to the sandbox, which runs in this process: what happens next does not meet it any more. */
async function arrived(): Promise<void> {
	for (let turn = 0; turn < TURNS; turn++) await turnOfLoop();
}

/** Plays one history, on a sandbox of its own. */
export class World {
	readonly mark = `h${randomUUID().slice(0, 8)}`;
	readonly ends: RunEnd[] = [];
	/** Items of the run that brought everything. */
	delivered?: INodeExecutionData[];
	stops = 0;
	/** When each run began; epoch milliseconds. */
	readonly begunAt: number[] = [];
	/** The sandbox, if it is a pool. */
	readonly pool?: SandboxPool;
	private readonly surroundings = {
		skewMs: 0,
		refusals: 0,
		isReachable: (port: number): boolean => {
			const server = this.pool?.serverAt(port);
			return server === undefined || this.pool?.isReachable(server) !== false;
		},
		onRequest: (request: SentRequest) => this.onRequest(request),
	};
	private life = new Life(this.surroundings);
	private kept?: Kept;
	/** The execution that is to be tried again was not stopped. */
	private stopping = new AbortController();
	private incidents: Incident[] = [];
	private timePasses?: boolean;
	private readonly submits: ReturnType<typeof routeMatcher>;
	private readonly armed: Array<{ name: FaultName; handle: FaultHandle }> = [];

	constructor(
		readonly via: Interface,
		readonly sandbox: Sandbox,
		readonly history: History,
	) {
		this.submits = routeMatcher(via.submission);
		this.pool = isSandboxPool(sandbox) ? sandbox : undefined;
	}

	get faultsMet(): number {
		return this.armed.filter(({ handle }) => handle.used > 0).length;
	}

	async play(): Promise<void> {
		const { sandbox, via, history } = this;
		sandbox.configure({ ...DEFAULT_BEHAVIOUR, progressIntervalMs: 20, ...via.behaviour });
		for (const action of history.actions) {
			if (this.delivered !== undefined) break;
			await this.act(action);
		}
		await this.calm();
		for (let retries = 0; retries <= LAST_RETRIES && this.delivered === undefined; retries++) {
			await this.run('Retry execution', []);
			await this.calm();
		}
	}

	/** For the next history. */
	async leave(): Promise<void> {
		await this.via.clear(this.sandbox);
		for (const { ledger } of membersOf(this.sandbox)) {
			ledger.runs.length = 0;
			ledger.cancels.length = 0;
			ledger.executedNodes.length = 0;
			ledger.routerRuns.length = 0;
			ledger.routerCalls.length = 0;
		}
		this.sandbox.resetRecords();
	}

	markOf(item: number): string {
		return `${this.mark}-${this.history.areEqual ? 0 : item}`;
	}

	private async act(action: Action): Promise<void> {
		switch (action.does) {
			case 'run':
				return await this.run(action.again, action.incidents);
			case 'fault': {
				const on = action.on === 'submission' ? this.via.submission : '* *';
				this.armed.push({ name: action.fault, handle: this.sandbox.inject({ on, ...FAULTS[action.fault] }) });
				return;
			}
			case 'crowd':
				return await this.via.crowd(this.sandbox, action.jobs, this.markOf(0));
			case 'clock':
				return this.step(action.minutes * MINUTE_MS);
			case 'disconnect':
			case 'reconnect':
			case 'restart':
				return this.changeServer(action.does, 'server' in action ? action.server : undefined, OUTAGE_MS.between);
		}
	}

	private changeServer(does: 'restart' | 'disconnect' | 'reconnect', server: number | undefined, outageMs: number): void {
		const { pool } = this;
		if (pool === undefined || server === undefined) return this.restart();
		pool[does](server, outageMs);
		if (does !== 'reconnect') this.life.cutOff(pool.portOf(server));
	}

	/** Where the service goes by time, forward steps are time that passes for it, too. */
	private step(ms: number): void {
		const { via, sandbox, surroundings } = this;
		if (via.pass !== undefined) {
			// A clock that is set back hides how much time has passed: no key is known to be over.
			this.timePasses ??= ms > 0;
			if (this.timePasses !== ms > 0) return;
			if (ms > 0) via.pass(sandbox, ms);
		}
		surroundings.skewMs += ms;
	}

	private restart(): void {
		this.via.restart?.(this.sandbox);
		this.life.cutOff();
		this.surroundings.refusals = REFUSED_CONNECTIONS;
	}

	/** Nothing goes wrong any more, all that is on its way has come, and what runs has ended. */
	private async calm(): Promise<void> {
		const { sandbox, pool } = this;
		for (const server of pool?.members.keys() ?? []) pool?.reconnect(server);
		await this.lateOnesArrived();
		sandbox.clearFaults();
		this.surroundings.refusals = 0;
		await until(() => sandbox.requests(this.via.submission).every(({ finished }) => finished), CALM_WITHIN_MS);
		await until(() => this.via.isIdle(sandbox), CALM_WITHIN_MS);
	}

	private async lateOnesArrived(): Promise<void> {
		const isLate = this.armed.some(({ name, handle }) => name.startsWith('delivered') && handle.used > 0);
		if (isLate) await delay(1.5 * LATE_MS);
	}

	private now(): number {
		return Date.now() + this.surroundings.skewMs;
	}

	private async run(again: 'Retry On Fail' | 'Retry execution', incidents: readonly Incident[]): Promise<void> {
		if (this.life.isOver) await this.bear();
		const kept = this.next(again);
		this.incidents = [...incidents];
		const { via, history } = this;
		const isRetry = kept.first !== undefined;
		this.begunAt.push(Date.now());
		const credential = via.credential(this.sandbox, this.life.address);
		const execution = n8nExecution({
			nodeType: via.node.name,
			workflowId: this.mark,
			executionId: kept.executionId,
			context: kept.context,
			executionContext: { version: 1, establishedAt: kept.establishedAt, source: 'webhook' },
			isRetry,
			retryOf: kept.first,
			signal: this.stopping.signal,
			credential,
			items: Array.from({ length: history.items }, (_, item) => ({
				authentication: credential.type,
				...via.parameters(this.askedBy(item)),
			})),
		});
		try {
			const [done = []] = await this.life.live(async () => await via.node.execute(execution));
			this.ends.push({ items: done });
			this.delivered = done;
		} catch (error) {
			if (error instanceof DiedError) Object.assign(kept, { context: {}, saved: undefined });
			this.ends.push({ failure: error instanceof DiedError ? 'n8n was killed' : words(error) });
		}
		await arrived();
	}

	/** Starts a new process, which knows nothing of this history's jobs. n8n takes seconds for that: late requests have arrived. */
	private async bear(): Promise<void> {
		await this.lateOnesArrived();
		this.life = new Life(this.surroundings);
		claimedJobs.clear(this.sandbox.jobs().map(({ id }) => id));
	}

	private next(again: 'Retry On Fail' | 'Retry execution'): Kept {
		const { kept } = this;
		const hasDied = kept !== undefined && Object.keys(kept.context).length === 0;
		if (kept !== undefined && again === 'Retry On Fail' && !hasDied) return kept;
		this.stopping = new AbortController();
		this.kept = {
			executionId: randomUUID(),
			first: kept?.first ?? kept?.executionId,
			context: copyOf(kept?.saved ?? kept?.context ?? {}),
			establishedAt: kept?.establishedAt ?? this.now(),
		};
		return this.kept;
	}

	private askedBy(item: number): Asked {
		const { input, items } = this.history;
		return { mark: this.markOf(item), items, input, value: input === 'random' ? randomInt(1, 1_000_000_000) : 1 };
	}

	private onRequest({ nth, method, path, port, moment }: SentRequest): void {
		const isSubmission = this.submits({ surface: 'hosted', method, path: path.replace(/\?.*/, '') });
		const due = this.incidents.filter(
			(one) => one.moment === moment && (one.request === 'submission' ? isSubmission : one.request === nth),
		);
		if (due.length === 0) return;
		this.incidents = this.incidents.filter((one) => !due.includes(one));
		for (const { event } of due) {
			const server = this.pool?.serverAt(port);
			if (event === 'kill') this.life.kill();
			else if (event !== 'stop') this.changeServer(event, server, OUTAGE_MS.during);
			else {
				this.stops += 1;
				this.stopping.abort();
				if (this.kept !== undefined) this.kept.saved = copyOf(this.kept.context);
			}
		}
	}
}
