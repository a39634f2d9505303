import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';

import { startSandbox, type Sandbox } from '../../../sandbox';
import { routeMatcher } from '../../../sandbox/http/routeMatcher';
import type { NodeRun } from '../../nodes/support/engine';
import { recovered, retryOf } from '../../nodes/support/stored';
import { type Gap, gapsOf, type Stage, STAGES } from './course';
import type { Lane } from './lane';
import type { Left } from './n8nProcess';
import { type Way, WAYS } from './ways';
import { listenTo, type Moment } from './wire';

/** How often somebody retries what has failed before they give up. */
const MOST_RETRIES = 3;

const BEFORE = ['nothing', 'a refusal', 'a lost answer'] as const;

interface Strike {
	/** Which of the gaps of its stage, and where in it: from 0 to 1. */
	gap: number;
	within: number;
}

export interface Plan {
	seed: number;
	way: Way;
	stage: Stage;
	/** The ordinary failure of which the run that is killed is a retry. */
	before: (typeof BEFORE)[number];
	strikes: Strike[];
}

const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const rest = fc.record({
	before: fc.constantFrom(...BEFORE, 'nothing', 'nothing'),
	// Some retries are killed as well.
	strikes: fc.array(fc.record({ gap: share, within: share }), { minLength: 1, maxLength: 2 }),
});

/** Seeds in a row have every stage of every way once before any has one twice. */
export function planOf(seed: number): Plan {
	const [drawn] = fc.sample(rest, { seed, numRuns: 1 });
	if (drawn === undefined) throw new Error('fast-check has drawn nothing');
	return { seed, way: at(WAYS, seed), stage: at(STAGES, seed), ...drawn };
}

const at = <T>(all: readonly T[], index: number): T => all[index % all.length] as T;
const atShare = <T>(all: readonly T[], of: number): T => at(all, Math.floor(of * all.length));

export interface KillOutcome {
	plan: Plan;
	/** Where the process was when it was killed. */
	places: string[];
	/** What the retries said that did not deliver. */
	failures: string[];
	/** Empty where everything was billed once and delivered. */
	trouble: string;
	tookMs: number;
}

/** The courses of undisturbed runs, by way. */
const courses = new Map<string, Promise<Gap[]>>();

async function rehearsed(way: Way, lane: Lane): Promise<Gap[]> {
	return await inSandbox(way, async (sandbox) => {
		const moments: Moment[] = [];
		const stop = listenTo(sandbox, (moment) => void moments.push(moment));
		const order = await way.run(sandbox);
		let from = performance.now();
		const left = await (await lane.n8n()).run(order, (what) => (from = what === 'begun' ? performance.now() : from));
		stop();
		const trouble = await troubleOf(way, sandbox, left);
		if (trouble !== '') throw new Error(`${way.name}, undisturbed: ${trouble}`);
		return gapsOf(submissionsOf(way), { from, moments, to: performance.now() });
	});
}

function submissionsOf({ submission }: Way): (request: string) => boolean {
	const matches = routeMatcher(submission);
	return (request) => {
		const [method = '', path = ''] = request.split(' ');
		return matches({ surface: 'hosted', method, path });
	};
}

async function inSandbox<T>(way: Way, use: (sandbox: Sandbox) => Promise<T>): Promise<T> {
	const sandbox = await startSandbox(way.behaviour);
	try {
		return await use(sandbox);
	} finally {
		await sandbox.close();
	}
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

/** Runs it, and kills n8n there; at its end at the latest, before n8n has stored that. */
async function struck(
	lane: Lane,
	sandbox: Sandbox,
	order: NodeRun,
	{ nth, ms }: Gap,
	within: number,
): Promise<{ left: Left; place: string }> {
	let place = 'before anything came in';
	let count = 0;
	const strikeAfterGap = (): void => void setTimeout(() => lane.kill(), within * ms);
	const stop = listenTo(sandbox, ({ request, phase }) => {
		place = `after ${request} ${phase}`;
		count += 1;
		if (count === nth) strikeAfterGap();
	});
	const n8n = await lane.n8n();
	const left = await n8n.run(order, (what) => {
		if (what === 'ended') {
			place = 'at its end, before n8n had stored it';
			n8n.kill();
			lane.kill();
		} else if (nth === 0) strikeAfterGap();
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
	const stop = listenTo(sandbox, ({ request }) => {
		if (!isRefused && submits(request)) sandbox.inject({ on: '* *', times: Infinity, answer: { status: 403 } });
	});
	const { stored, end } = await (await lane.n8n()).run(run);
	stop();
	sandbox.clearFaults();
	if (end?.failure === undefined) throw new Error(`${way.name}: ${before} did not fail it`);
	return retryOf(stored);
}

/** A run of the way, killed, and retried until it has delivered. */
export async function playKill(plan: Plan, lane: Lane): Promise<KillOutcome> {
	const { way, stage, strikes } = plan;
	const since = performance.now();
	if (!courses.has(way.name)) courses.set(way.name, rehearsed(way, lane));
	const course = (await courses.get(way.name)) ?? [];
	const ofStage = course.filter((gap) => gap.stage === stage);
	return await inSandbox(way, async (sandbox) => {
		const places: string[] = [];
		const failures: string[] = [];
		let order = await firstRun(lane, sandbox, plan);
		for (const { gap, within } of strikes) {
			const { left, place } = await struck(lane, sandbox, order, atShare(ofStage.length === 0 ? course : ofStage, gap), within);
			places.push(place);
			order = retryOf(recovered(left.stored));
		}
		let left = await (await lane.n8n()).run(order);
		while (left.end?.failure !== undefined && failures.length < MOST_RETRIES) {
			failures.push(left.end.failure);
			left = await (await lane.n8n()).run(retryOf(left.stored));
		}
		return { plan, places, failures, trouble: await troubleOf(way, sandbox, left), tookMs: performance.now() - since };
	});
}
