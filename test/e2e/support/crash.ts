/** Kills n8n while executions of many kinds run, retries each, and counts jobs and results. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { FaultHandle, FaultRule, RecordedRequest, Sandbox, SandboxJob } from '../../../sandbox';
import { outcomeOf } from '../../../client/async/outcome';
import {
	type Execution,
	importWorkflow,
	type Item,
	itemsOf,
	type SavedCredential,
	type SavedWorkflow,
	type WorkflowDocument,
} from '../../../scripts/n8nHost/documents';
import { colorIn, colorOf, FILE } from './guardedFlows';
import type { OwnHost } from './ownHost';
import { until } from './until';

/** Executions of each workflow. They have different orders, so that a file of the other execution is detected. */
export const EXECUTIONS = 2;

export interface Settings {
	name: string;
	workflow: WorkflowDocument['settings'];
	/** Whether a node that had ended when n8n died is run again. */
	repeatsNodes: boolean;
}

export type Publish = (document: WorkflowDocument) => Promise<SavedWorkflow>;

/** The point in an execution at which n8n is killed. */
export interface CrashPoint {
	name: string;
	/** @param tag identifies the jobs and requests of this point. @param publish saves a workflow that this one calls. */
	workflow(tag: string, publish: Publish): WorkflowDocument | Promise<WorkflowDocument>;
	/** Whether the called workflow is retried instead of the one that was started. */
	retriesCalled?: boolean;
	credentials(host: Credentials): SavedCredential[];
	/** Starts an execution for an order. */
	begin(url: string, tag: string, order: number): Promise<unknown>;
	/** The fault of its requests. */
	fault?: FaultRule;
	/** The jobs of each execution when n8n is killed: how many exist, and how many of them run. */
	jobs?: { made: number; running: number };
	/** The requests of each execution that the router has received by then. */
	requests?: number;
	/** Another condition for the point, checked in the sandbox. */
	isThere?(sandbox: Sandbox, its: { jobs: SandboxJob[]; requests: RecordedRequest[] }): boolean;
	/** For how many milliseconds an execution stays at the point; unlimited by default. */
	standsForMs?: number;
	/** Number of billed jobs for each execution; 1 by default. */
	bills?: number;
	/** How many recovered jobs the retry reports. */
	recovered(settings: Settings): number;
	/** The expected results of an order, as `readResult` returns them; the color of a picture by default. */
	expected?(order: number, settings: Settings): unknown[];
	readResult?(item: Item, file: Buffer, sandbox: Sandbox): Promise<unknown>;
}

export interface Credentials {
	hosted: SavedCredential[];
	selfHosted: SavedCredential[];
	engine: SavedCredential[];
}

/** What the retries of one point led to. */
export interface Outcome {
	place: string;
	settings: string;
	executions: number;
	/** Jobs and runs that were ordered, for all of them. */
	billed: number;
	/** Executions that delivered exactly the expected results. */
	delivered: number;
	/** Recovered jobs that the retries report. */
	recovered: number;
	/** Details of executions that failed. */
	failures: string[];
}

const standsForMs = ({ standsForMs: time = Infinity }: CrashPoint): number => time;

const NOTHING = { made: 0, running: 0 };
/** For an execution to come to its place. */
const PATIENCE_MS = 150_000;
/** Retries find their jobs still running. */
const JOBS_OUTLIVE_RETRIES_MS = 2_000;

interface Begun {
	place: CrashPoint;
	tag: string;
	workflow: SavedWorkflow;
	/** Whose executions are retried. */
	retried: SavedWorkflow;
	orders: number[];
	/** Of the executions that are retried. */
	ids: string[];
	/** Requests that are kept from being answered. */
	held: Pick<FaultHandle, 'used'>;
}

const routeOf = ({ place: { fault }, tag }: Begun): string => (fault === undefined ? tag : `${fault.on} ${fault.surface}`);

export class Crash {
	private readonly all: Begun[] = [];
	private nextOrder = 0;

	constructor(
		private readonly host: OwnHost,
		private readonly credentials: Credentials,
		private readonly settings: Settings,
	) {}

	private get rest() {
		return this.host.session.rest;
	}

	private get sandbox(): Sandbox {
		return this.host.session.sandbox;
	}

	/** The execution that stays for the shortest time starts last. Executions held on one route start one after the other, because a fault holds the next request, whichever it is. */
	async begin(places: CrashPoint[], firstOrder: number): Promise<void> {
		this.nextOrder = firstOrder;
		this.sandbox.configure({ gateOpen: false });
		for (const place of places) this.all.push(await this.prepare(place));
		const times = [...new Set(places.map(standsForMs))].sort((one, other) => other - one);
		for (const time of times) {
			const ofTime = this.all.filter(({ place }) => standsForMs(place) === time);
			const routes = [...new Set(ofTime.map(routeOf))];
			await Promise.all(
				routes.map(async (route) => {
					for (const one of ofTime) if (routeOf(one) === route) await this.start(one);
				}),
			);
		}
	}

	/** Those that are not where they are meant to be: their time has run out. */
	async strayed(): Promise<string[]> {
		const stand = await Promise.all(this.all.map(async (one) => ((await this.stands(one)) ? [] : [one.place.name])));
		return stand.flat();
	}

	async killAndStart(): Promise<void> {
		await this.host.killN8n();
		this.sandbox.clearFaults();
		await this.host.startN8n();
		for (const id of this.all.flatMap(({ ids }) => ids)) await this.rest.waitFor(id, { until: ({ status }) => status === 'crashed' });
	}

	/** Retries all at once, as a person would by a list of them; what ran continues meanwhile. */
	async outcomes(): Promise<Outcome[]> {
		const retried = this.all.map(
			async (one) =>
				await this.retried(one).catch((error: unknown) => this.lineOf(one, { delivered: 0, recovered: 0, failures: [String(error)] })),
		);
		await delay(JOBS_OUTLIVE_RETRIES_MS);
		this.sandbox.configure({ gateOpen: true });
		return await Promise.all(retried);
	}

	private async prepare(place: CrashPoint): Promise<Begun> {
		const { rest, settings } = this;
		const orders = Array.from({ length: EXECUTIONS }, () => this.nextOrder++);
		const tag = `crash-${orders[0]}`;
		const called: SavedWorkflow[] = [];
		const save: Publish = async (document) =>
			await importWorkflow(rest, { ...document, settings: settings.workflow }, place.credentials(this.credentials));
		const publish: Publish = async (document) => {
			const saved = await save(document);
			called.push(saved);
			await rest.activate(saved);
			return saved;
		};
		const workflow = await save(await place.workflow(tag, publish));
		await rest.activate(workflow);
		const retried = place.retriesCalled === true ? called[0]! : workflow;
		return { place, tag, workflow, retried, orders, ids: [], held: { used: 0 } };
	}

	/** Until all its executions stand there. */
	private async start(one: Begun): Promise<void> {
		const { rest, sandbox } = this;
		const {
			place: { name, begin, fault },
			tag,
			orders,
		} = one;
		if (fault !== undefined) one.held = sandbox.inject({ times: EXECUTIONS, ...fault });
		for (const order of orders) await until(`${name} to begin`, async () => ((await begin(rest.url, tag, order)) ? true : undefined));
		const outcome = await outcomeOf(until(name, async () => ((await this.stands(one)) ? true : undefined), PATIENCE_MS));
		if (!outcome.ok) throw new Error(`${String(outcome.error)}: ${await this.stateOf(one)}`);
	}

	/** What the service knows comes first: n8n is busy. */
	private async stands(one: Begun): Promise<boolean> {
		if (!this.isThere(one)) return false;
		const all = (await this.rest.executions(one.retried.id)).filter(({ status }) => status === 'running');
		one.ids = all.map(({ id }) => id).sort((left, right) => Number(left) - Number(right));
		return one.ids.length === EXECUTIONS && this.isThere(one);
	}

	private isThere(one: Begun): boolean {
		const {
			place: { jobs: { made, running } = NOTHING, requests: asked = 0, fault, isThere },
			held,
		} = one;
		const [jobs, requests] = [this.jobsOf(one), this.requestsOf(one)];
		return (
			(fault === undefined || held.used === EXECUTIONS) &&
			jobs.length === made * EXECUTIONS &&
			jobs.filter(({ status }) => status === 'running').length === running * EXECUTIONS &&
			requests.length === asked * EXECUTIONS &&
			(isThere?.(this.sandbox, { jobs, requests }) ?? true)
		);
	}

	/** Details, if a point was not reached. */
	private async stateOf(one: Begun): Promise<string> {
		const statuses = (all: Array<{ status: unknown }>) => all.map(({ status }) => status).join(', ');
		return `executions ${statuses(await this.rest.executions(one.workflow.id))}; jobs ${statuses(this.jobsOf(one))}; requests ${statuses(this.requestsOf(one))}`;
	}

	private jobsOf({ tag }: Begun): SandboxJob[] {
		return this.sandbox.jobs().filter(({ graph }) => Object.values(graph).some(({ inputs }) => inputs.filename_prefix === tag));
	}

	/** An input of theirs begins with the tag. */
	private requestsOf({ tag }: Begun): RecordedRequest[] {
		return this.sandbox.requests('POST *', 'router').filter(({ bodyText }) => bodyText.includes(`"${tag} `));
	}

	private billsOf(one: Begun): number {
		const { runs, routerRuns } = this.sandbox.ledger;
		const jobs = new Set(this.jobsOf(one).map(({ id }) => id));
		const requests = new Set(this.requestsOf(one).map(({ requestId }) => requestId));
		return runs.filter(({ jobId }) => jobs.has(jobId)).length + routerRuns.filter(({ requestId }) => requests.has(requestId)).length;
	}

	private lineOf(one: Begun, rest: Pick<Outcome, 'delivered' | 'recovered' | 'failures'>): Outcome {
		return { place: one.place.name, settings: this.settings.name, executions: one.ids.length, billed: this.billsOf(one), ...rest };
	}

	private async retried(one: Begun): Promise<Outcome> {
		const { place, orders, ids } = one;
		const executions = await Promise.all(ids.map(async (id) => await this.rest.waitFor(await this.rest.retry(id), { timeoutMs: 150_000 })));
		const delivered = await Promise.all(executions.map(async (execution) => await this.readResults(place, execution)));
		const wanted = orders.map((order) => place.expected?.(order, this.settings) ?? [colorOf(order)]);
		return this.lineOf(one, {
			delivered: delivered.filter((all, index) => isDeepStrictEqual(all, wanted[index])).length,
			recovered: executions.map(recoveredIn).reduce((sum, count) => sum + count, 0),
			failures: executions.flatMap(({ id, status, data: { resultData } }, index) => {
				if (status !== 'success') return [`${id} ${status}: ${resultData.error?.message} ${resultData.error?.description ?? ''}`];
				return isDeepStrictEqual(delivered[index], wanted[index])
					? []
					: [`${id} delivered ${JSON.stringify(delivered[index])}, not ${JSON.stringify(wanted[index])}`];
			}),
		});
	}

	private async readResults({ readResult }: CrashPoint, execution: Execution): Promise<unknown[]> {
		return await Promise.all(
			itemsOf(execution, FILE).map(async (item) => {
				const id = item.binary?.data?.id;
				const file = id === undefined ? Buffer.alloc(0) : await this.rest.binary(id);
				return readResult === undefined ? await colorIn(file) : await readResult(item, file, this.sandbox);
			}),
		);
	}
}

/** Only nodes that make jobs tell of it; what comes after them may hand it on. */
function recoveredIn({ data }: Execution): number {
	const makers = Object.entries(data.resultData.runData).filter(([name]) => /^comfy(Submit|Run)/.test(name));
	const items = makers.flatMap(([, runs]) => runs.flatMap(({ data: given }) => (given?.main ?? []).flatMap((output) => output ?? [])));
	return items.filter(({ json }) => json.recovered === true).length;
}
