/** The product process of a soak test: rounds of nodes on n8n's engine, and every source of the trigger. */
import '../../test/support/loopbackOnly';
import '../../test/nodes/support/typescriptFirst';

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import type { Sandbox } from '../../sandbox';
import { type Credential, type NodeRun, runNode } from '../../test/nodes/support/engine';
import { fileItem, uploadRun } from '../../test/nodes/support/files';
import { credentialFor, type Way } from '../../test/nodes/support/flavours';
import { slowGraph } from '../../test/nodes/support/graphs';
import { jsonRun, routerCredential } from '../../test/nodes/support/router';
import { runRun } from '../../test/nodes/support/run';
import { type RunningTrigger, startTrigger } from '../../test/nodes/trigger/support/trigger';
import type { Access, Order, Sample } from './trend';

const MIB = 1024 * 1024;
const JOBS_PER_RUN = 2;
const FILE_BYTES = 512 * 1024;
const REST_MS = 200;
const KEPT_IDS = 3;
const WAYS: Way[] = ['hosted', 'deployment', 'v1', 'self_hosted', 'bare_engine'];

const gc = (globalThis as { gc?: () => void }).gc ?? (() => undefined);

class Soak {
	private readonly startedAt = performance.now();
	private readonly sandbox: Sandbox;
	private readonly triggers: RunningTrigger[] = [];
	private jobIds: string[] = [];
	private readonly ends = { succeeded: 0, failed: 0, news: 0 };
	private seed = 0;

	/** Of the sandbox, which is another process, only its addresses and keys are here. */
	constructor(access: Access) {
		this.sandbox = access as Sandbox;
	}

	private credential(way: Way): Credential {
		return credentialFor(this.sandbox, way);
	}

	async listen(): Promise<void> {
		const sources: Array<[Way, object]> = [
			['hosted', { source: 'hostedAccount' }],
			['deployment', { source: 'jobs', jobsToWatch: 'all' }],
			['self_hosted', { source: 'jobs', jobsToWatch: 'all' }],
			['bare_engine', { source: 'engine' }],
		];
		for (const [way, source] of sources) this.triggers.push(await this.trigger(way, source));
	}

	private async trigger(way: Way, source: object): Promise<RunningTrigger> {
		return await startTrigger({
			credential: this.credential(way),
			parameters: { deliver: 'everyEvent', options: { leastSecondsBetween: 0 }, ...source },
		});
	}

	private batch(way: Way): NodeRun {
		const options = {
			concurrency: 2,
			maxWaitMinutes: 0.1,
			keepTryingForSeconds: 3,
			inputValues: '={{ { "2": { seed: $json.seed } } }}',
		};
		const items = Array.from({ length: JOBS_PER_RUN }, () => ({ json: { seed: this.seed++ } }));
		return runRun(this.credential(way), slowGraph(2, 20), {
			items,
			settings: { onError: 'continueRegularOutput' },
			parameters: { options },
		});
	}

	private runs(): NodeRun[] {
		const router = routerCredential(this.sandbox);
		const prompt = { prompt: 'a cat' };
		return [
			...WAYS.map((way) => this.batch(way)),
			...(['hosted', 'v1', 'bare_engine'] as const).map((way) => uploadRun(this.credential(way), [fileItem(randomBytes(FILE_BYTES))])),
			jsonRun(router, 'lab/free', prompt),
			jsonRun(router, 'lab/free', prompt, { parameters: { options: { useQueue: true } } }),
		];
	}

	/** One of a trigger's sources is opened and closed each time; the others stay open. */
	async round(): Promise<void> {
		const listening = this.jobIds.length === 0 ? undefined : await this.listed();
		const results = await Promise.all(this.runs().map(runNode));
		for (const { status, outputs } of results) {
			const isWhole = status === 'success' && outputs.flat().every(({ json }) => json.error === undefined);
			this.ends[isWhole ? 'succeeded' : 'failed'] += 1;
		}
		const ids = results
			.flatMap(({ outputs }) => outputs.flat())
			.flatMap(({ json }) => (typeof json.job_id === 'string' ? [json.job_id] : []));
		this.jobIds = ids.slice(0, KEPT_IDS);
		await listening?.close();
		if (listening !== undefined) this.takeNews(listening);
		for (const trigger of this.triggers) this.takeNews(trigger);
	}

	private async listed(): Promise<RunningTrigger> {
		return await this.trigger('hosted', { source: 'jobs', jobsToWatch: 'listed', jobIds: this.jobIds.join() });
	}

	/** What the harness of the tests keeps would look like a leak. */
	private takeNews({ items, onceKeys, failures, logged }: RunningTrigger): void {
		this.ends.news += items.length;
		for (const kept of [items, onceKeys, failures, logged]) kept.length = 0;
	}

	async sample(): Promise<Sample> {
		await delay(REST_MS);
		gc();
		await delay(0);
		gc();
		const { heapUsed, external, rss } = process.memoryUsage();
		const resources = process.getActiveResourcesInfo();
		const count = (pattern: RegExp): number => resources.filter((name) => pattern.test(name)).length;
		const [timers, sockets] = [count(/^Timeout$/), count(/^(TCP|TLS)/)];
		return {
			seconds: (performance.now() - this.startedAt) / 1_000,
			held: {
				'heap MiB': heapUsed / MIB,
				'external MiB': external / MIB,
				'resident MiB': rss / MIB,
				timers,
				sockets,
				'other handles': resources.length - timers - sockets,
			},
			...this.ends,
		};
	}

	/** Closes the triggers. */
	async end(): Promise<void> {
		await Promise.all(this.triggers.map(async (trigger) => await trigger.close()));
	}
}

async function main(): Promise<void> {
	const soak = new Soak(JSON.parse(process.argv[2] ?? '') as Access);
	let isOver = false;
	process.on('message', (order: Order) => (isOver ||= order === 'end'));
	process.on('disconnect', () => process.exit());
	await soak.listen();
	while (!isOver) {
		await soak.round();
		process.send?.({ sample: await soak.sample() });
	}
	await soak.end();
	process.send?.({ left: (await soak.sample()).held }, () => process.exit());
}

void main();
