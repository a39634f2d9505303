import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { type Sandbox, startSandbox } from '../../../sandbox';
import { routeMatcher } from '../../../sandbox/http/recorder';
import type { NodeRun } from '../../nodes/support/engine';
import { recovered, retryOf } from '../../nodes/support/stored';
import { membersOf, startSandboxPool } from '../../support/sandboxPool';
import { Lane, type Left } from './n8nProcess';
import { type Way, WAYS } from './ways';

/** As many at once as a small machine has cores. */
const LANES = 2;
/** How often somebody retries what has failed before they give up. */
const MOST_RETRIES = 3;
/** About as many moments as a run has before the results are downloaded. */
const MOMENTS = 12;
/** About as long as two moments are apart. */
const GAP_MS = 60;

const BEFORE = ['nothing', 'a refusal', 'a lost answer'] as const;

interface Strike {
	/** After this moment of the wire, and so much of a gap; 0 is before the first. A run that has fewer moments is killed at its end. */
	nth: number;
	within: number;
}

interface Plan {
	seed: number;
	way: Way;
	/** The first strike comes while the submission is on its way. */
	isAtSubmission: boolean;
	/** The ordinary failure of which the run that is killed is a retry. */
	before: (typeof BEFORE)[number];
	strikes: Strike[];
}

const rest = fc.record({
	before: fc.constantFrom(...BEFORE, 'nothing', 'nothing'),
	// Some retries are killed as well.
	strikes: fc.array(fc.record({ nth: fc.nat(MOMENTS), within: fc.double({ min: 0, max: 1, noNaN: true }) }), {
		minLength: 1,
		maxLength: 2,
	}),
});

/** Seeds in a row have every way once, first each at its submission and then each anywhere, or the other way round. */
function planOf(seed: number): Plan {
	const [drawn] = fc.sample(rest, { seed, numRuns: 1 });
	const way = WAYS[seed % WAYS.length];
	if (drawn === undefined || way === undefined) throw new Error('fast-check has drawn nothing');
	return { seed, way, isAtSubmission: Math.floor(seed / WAYS.length) % 2 === 0, ...drawn };
}

/** Reports each request of the sandbox as it comes in, and as its answer is handed over whole. */
function listenTo(sandbox: Sandbox, onMoment: (request: string, phase: 'came in' | 'was answered') => void): () => void {
	const ports = membersOf(sandbox).flatMap(({ urls }) => Object.values(urls).map((url) => Number(new URL(url).port)));
	const channels = { 'http.server.request.start': 'came in', 'http.server.response.finish': 'was answered' } as const;
	const listeners = Object.entries(channels).map(([channel, phase]) => {
		const listener = (message: unknown): void => {
			const { method, url = '', socket } = (message as { request: IncomingMessage }).request;
			if (ports.includes(socket.localPort ?? 0)) onMoment(`${method} ${url.replace(/\?.*/, '')}`, phase);
		};
		subscribe(channel, listener);
		return { channel, listener };
	});
	return () => listeners.forEach(({ channel, listener }) => void unsubscribe(channel, listener));
}

function submissionsOf({ submission }: Way): (request: string) => boolean {
	const matches = routeMatcher(submission);
	return (request) => {
		const [method = '', path = ''] = request.split(' ');
		return matches({ surface: 'hosted', method, path });
	};
}

async function troubleOf(way: Way, sandbox: Sandbox, { end }: Left): Promise<string> {
	const billed = way.billed(sandbox);
	const brought = await way.brought(end?.items ?? []);
	return [
		...(billed.length === way.wanted.length && new Set(billed).size === billed.length
			? []
			: [`billed ${billed.length} times for ${way.wanted.length} items: ${billed.join(', ')}`]),
		...(isDeepStrictEqual(brought, way.wanted) ? [] : [`delivered ${JSON.stringify(brought)}: ${end?.failure ?? 'no failure'}`]),
	].join('; ');
}

/** Runs it, and kills n8n at that moment; at its end at the latest, before n8n has stored that. */
async function struck(lane: Lane, sandbox: Sandbox, order: NodeRun, isDue: (nth: number, moment: string) => boolean, within: number) {
	let place = 'before anything came in';
	let count = 0;
	let isStruck = false;
	const strikeIf = (isNow: boolean): void => {
		if (!isNow || isStruck) return;
		isStruck = true;
		setTimeout(() => lane.kill(), within * GAP_MS);
	};
	const stop = listenTo(sandbox, (request, phase) => {
		place = `after ${request} ${phase}`;
		count += 1;
		strikeIf(isDue(count, place));
	});
	const n8n = await lane.n8n();
	const left = await n8n.run(order, (what) => {
		if (what === 'begun') return strikeIf(isDue(0, place));
		place = 'at its end, before n8n had stored it';
		n8n.kill();
		lane.kill();
	});
	stop();
	return { left, place };
}

/** @returns what is executed next: the run itself, or its retry after an ordinary failure, of which n8n keeps everything. */
async function firstRun(lane: Lane, sandbox: Sandbox, { way, before }: Plan): Promise<NodeRun> {
	const run = await way.run(sandbox);
	if (before === 'nothing') return run;
	const isRefused = before === 'a refusal';
	sandbox.inject({ on: way.submission, ...(isRefused ? { answer: way.refusal } : { fault: { kind: 'drop_after' } }) });
	const submits = submissionsOf(way);
	const stop = listenTo(sandbox, (request) => {
		if (!isRefused && submits(request)) sandbox.inject({ on: '* *', times: Infinity, answer: { status: 403 } });
	});
	const { stored, end } = await (await lane.n8n()).run(run);
	stop();
	sandbox.clearFaults();
	if (end?.failure === undefined) throw new Error(`${way.name}: ${before} did not fail it`);
	return retryOf(stored);
}

const startFor = async ({ behaviour, servers }: Way): Promise<Sandbox> =>
	servers === undefined ? await startSandbox(behaviour) : await startSandboxPool(Array.from({ length: servers }, () => behaviour));

/** A run of the way, killed, and retried until it has delivered. @returns what is wrong, if anything. */
async function playKill(plan: Plan, lane: Lane, print: (line: string) => void): Promise<string> {
	const { seed, way, before, isAtSubmission, strikes } = plan;
	const since = performance.now();
	const submits = submissionsOf(way);
	const sandbox = await startFor(way);
	try {
		const places: string[] = [];
		const failures: string[] = [];
		let order = await firstRun(lane, sandbox, plan);
		for (const [index, { nth, within }] of strikes.entries()) {
			const isAtOne = (moment: string): boolean => moment.endsWith('came in') && submits(moment.replace('after ', ''));
			const isDue = (count: number, moment: string): boolean => (isAtSubmission && index === 0 ? isAtOne(moment) : count === nth);
			const { left, place } = await struck(lane, sandbox, order, isDue, within);
			places.push(place);
			order = retryOf(recovered(left.stored));
		}
		let left = await (await lane.n8n()).run(order);
		while (left.end?.failure !== undefined && failures.length < MOST_RETRIES) {
			failures.push(left.end.failure);
			left = await (await lane.n8n()).run(retryOf(left.stored));
		}
		const trouble = await troubleOf(way, sandbox, left);
		const took = Math.round(performance.now() - since);
		const retried = before === 'nothing' ? '' : `, retried after ${before}`;
		print(`${trouble === '' ? 'survived' : 'LOST'} seed ${seed}, ${way.name}${retried}: killed ${places.join(', then ')} (${took} ms)`);
		for (const failure of failures) print(`  said on the way: ${failure}`);
		if (trouble !== '') print(`  ${trouble}\n  Again: npm run test:histories -- --kills 1 --seed ${seed}`);
		return trouble;
	} finally {
		await sandbox.close();
	}
}

/** The seeds from that one on, one kill for each. @returns how many of them lost something. */
export async function runKills(kills: number, firstSeed: number, print: (line: string) => void): Promise<number> {
	const seeds = Array.from({ length: kills }, (_, index) => firstSeed + index).values();
	let failed = 0;
	const inOneLane = async (): Promise<void> => {
		const lane = new Lane();
		try {
			for (const seed of seeds) if ((await playKill(planOf(seed), lane, print)) !== '') failed += 1;
		} finally {
			await lane.end();
		}
	};
	await Promise.all(Array.from({ length: Math.min(LANES, kills) }, inOneLane));
	return failed;
}
