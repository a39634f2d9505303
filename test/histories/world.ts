import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { IExecuteFunctions } from 'n8n-workflow';
import { claimedJobs } from '../../client/recovery/claimedJobs';
import { DEFAULT_BEHAVIOUR } from '../../sandbox/behaviour';
import type { FaultHandle, Sandbox } from '../../sandbox';
import { routeMatcher } from '../../sandbox/http/recorder';
import { forgetBills, isSandboxPool, type SandboxPool } from '../support/sandboxPool';
import { until } from '../support/until';
import { type Chain, Chains } from './chains';
import { type Execution, markCode, type Step } from './execution';
import { type FaultName, FAULTS, LATE_MS } from './faults';
import type { Action, History, Incident } from './history';
import type { Happened, Interface } from './interfaces/interface';
import { arrived, DiedError, Life, type SentRequest } from './life';
import { n8nExecution, words } from './n8nExecution';
import { Sheet } from './sheet';

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
const LAST_RETRIES = 6;
/** Of an execution of which a retry has delivered. */
const FURTHER_RETRIES = 2;

/** Plays one history, on a sandbox of its own. */
export class World implements Happened {
	readonly mark = `h${randomUUID().slice(0, 8)}`;
	private readonly started: Chains;
	/** The executions that nothing disturbed. */
	readonly last: Execution[] = [];
	stops = 0;
	kills = 0;
	lives = 1;
	runs = 0;
	wasSetBack = false;
	readonly lostRecords: number[] = [];
	readonly restarts: number[] = [];
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
	private readonly sheet: Sheet;
	/** The executions of the last run. */
	private running: Execution[] = [];
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
		this.surroundings.skewMs = history.minutesAhead * MINUTE_MS;
		this.sheet = new Sheet(this.mark, history.areEqual, history.rows);
		this.started = new Chains(history, this.mark, this.sheet.read);
	}

	get chains(): readonly Chain[] {
		return this.started.chains;
	}

	get faultsMet(): number {
		return this.armed.filter(({ handle }) => handle.used > 0).length;
	}

	get isDisturbed(): boolean {
		const { faultsMet, lostRecords, stops, restarts, pool } = this;
		return faultsMet + lostRecords.length + stops + restarts.length + (pool?.outages.length ?? 0) > 0;
	}

	get sendsKeys(): boolean {
		return this.via.isKeyed && this.history.key === 'automatic';
	}

	async play(): Promise<void> {
		const { sandbox, via, history } = this;
		sandbox.configure({ ...DEFAULT_BEHAVIOUR, progressIntervalMs: 20, dateHeader: history.hasDate ? 'sent' : 'absent', ...via.behaviour });
		for (const action of history.actions) {
			if (this.chains.length > 0 && this.started.failed().length === 0) break;
			await this.act(action);
		}
		await this.calm();
		if (this.chains.length === 0) await this.run(this.started.begin(this.now()));
		for (const chain of this.chains) {
			await this.retryLast(LAST_RETRIES, () => chain.at(-1) ?? chain[0]);
			// It is still among the failed executions, so somebody may retry it, too.
			if (chain[0].state === 'failed' && chain.length > 1) await this.retryLast(FURTHER_RETRIES, () => chain[0]);
		}
	}

	/** @param next what is retried. */
	private async retryLast(most: number, next: () => Execution): Promise<void> {
		let last = next();
		for (let retries = 0; retries < most && last.state !== 'delivered'; retries++) {
			last = this.started.retry(next(), this.now());
			await this.run([last]);
			await this.calm();
		}
		this.last.push(last);
	}

	/** For the next history. */
	async leave(): Promise<void> {
		await this.via.clear(this.sandbox);
		forgetBills(this.sandbox);
	}

	private async act(action: Action): Promise<void> {
		switch (action.does) {
			case 'run':
				return await this.run(this.started.next(action, this.life.isOver ? [] : this.running, this.now()), action.incidents);
			case 'add':
			case 'remove':
			case 'move':
			case 'edit':
				return this.sheet.change(action.does, action.row);
			case 'restart n8n':
				return this.life.kill();
			case 'fault': {
				// Without a key, the second one looks like the first.
				if (action.fault === 'delivered twice' && !this.sendsKeys) return;
				const on = action.on === 'submission' ? this.via.submission : '* *';
				this.armed.push({ name: action.fault, handle: this.sandbox.inject({ on, ...FAULTS[action.fault] }) });
				return;
			}
			case 'crowd':
				return await this.via.crowd(this.sandbox, action.jobs, this.sheet.firstMark);
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
		if (does === 'restart') this.restarts.push(Date.now());
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
		this.wasSetBack ||= ms < 0;
	}

	private restart(): void {
		this.via.restart?.(this.sandbox);
		this.restarts.push(Date.now());
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

	/** Runs them at the same time, until each of them has delivered or failed. */
	private async run(executions: Execution[], incidents: readonly Incident[] = []): Promise<void> {
		if (this.life.isOver) await this.bear();
		if (executions.some(({ lacksRecord }) => lacksRecord)) this.lostRecords.push(Date.now());
		this.running = executions;
		this.incidents = [...incidents];
		this.begunAt.push(Date.now());
		this.runs += 1;
		const { life } = this;
		try {
			await life.live(async () => await Promise.all(executions.map(async (execution) => await this.runSteps(execution, life))));
		} catch (error) {
			if (!(error instanceof DiedError)) throw error;
			for (const execution of executions) if (execution.state === 'running') execution.crash();
		}
		await arrived();
	}

	private async runSteps(execution: Execution, life: Life): Promise<void> {
		try {
			for (let step = execution.nextStep; step !== undefined; step = execution.nextStep) {
				const [done = []] = await this.via.node.execute(this.startOf(execution, step));
				if (life.isOver) return;
				execution.finish(step, done);
			}
		} catch (error) {
			if (!life.isOver) execution.fail(words(error));
		}
	}

	private startOf(execution: Execution, step: Step): IExecuteFunctions {
		const { via, history } = this;
		const credential = via.credential(this.sandbox, this.life.address);
		const items = execution.steps.filter(({ node }) => node === step.node).flatMap(({ rows }) => rows).length;
		const asked = { mark: markCode(history, step.node), input: history.input, key: history.key, items };
		return n8nExecution({
			...execution.nodeStart(step),
			nodeType: via.node.name,
			namesRetried: history.namesRetried,
			signal: execution.stopping.signal,
			credential,
			parameters: { authentication: credential.type, ...via.parameters(asked) },
		});
	}

	/** Starts a new process, which knows nothing of this history's jobs. n8n takes seconds for that: late requests have arrived. */
	private async bear(): Promise<void> {
		await this.lateOnesArrived();
		this.life = new Life(this.surroundings);
		this.lives += 1;
		claimedJobs.clear(this.sandbox.jobs().map(({ id }) => id));
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
			if (event === 'kill') this.kill();
			else if (event === 'stop') this.stop();
			else this.changeServer(event, server, OUTAGE_MS.during);
		}
	}

	private kill(): void {
		this.kills += 1;
		this.lostRecords.push(Date.now());
		this.life.kill();
	}

	private stop(): void {
		this.stops += 1;
		for (const execution of this.running) if (execution.state === 'running') execution.stop();
	}
}
