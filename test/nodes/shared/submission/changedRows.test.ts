/**
 * Retries after crashes, on each interface: each item gets its own job, and no job is paid twice. The retries may crash as well,
 * and another node may make the rows again.
 */
import type { INodeExecutionData } from 'n8n-workflow';

import { claimedJobs } from '../../../../client/recovery/claimedJobs';
import { forgetArrivals } from '../../../../nodes/shared/execution/arrivals';
import { loopOverItems, nodeBefore } from '../../support/around';
import { diesIn, retryAfterDeath } from '../../support/crashed';
import { bytesOf, NODE_NAME, type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { credentialFor, type Way } from '../../support/flavours';
import { COLOR_OF_ITEM, colorGraph, GRAPH_OF_ITEM, graphItems } from '../../support/graphs';
import { pixelsOf } from '../../support/pictures';
import { sharedPool } from '../../support/pool';
import { jsonRun, routerCredential } from '../../support/router';
import { runRun } from '../../support/run';
import { freshSandbox } from '../../support/sandbox';
import { recovered, retryOf, type Stored } from '../../support/stored';
import { jsons, submitRun } from '../../support/submit';

const sandbox = freshSandbox();
const pool = sharedPool();
beforeEach(() => {
	for (const one of pool.sandboxes) one.ledger.runs.length = 0;
	sandbox.ledger.routerRuns.length = 0;
});

interface Row {
	color: number;
	/** No expression reads it. */
	row_number: number;
}

const rows = (...colors: number[]): Row[] => colors.map((color, index) => ({ color, row_number: index + 2 }));

type Target = Way | 'pool' | 'router';

/** What a target has made: the color of each job. */
const madeOn = (target: Target): Array<{ id: string; color: number }> => {
	if (target === 'router')
		return sandbox.requests('POST /v2/models/:provider/:model', 'router').map(({ headers, bodyText }) => ({
			id: String(headers['idempotency-key']),
			color: (JSON.parse(bodyText) as { color: number }).color,
		}));
	const sandboxes = target === 'pool' ? pool.sandboxes : [sandbox];
	return sandboxes.flatMap((one) =>
		one.ledger.runs.map(({ jobId }) => ({ id: jobId, color: Number(one.job(jobId)?.graph['1']?.inputs.color) })),
	);
};
const billedOn = (target: Target): number => (target === 'router' ? sandbox.ledger.routerRuns : madeOn(target)).length;
const idsOf = (target: Target, result: NodeResult) =>
	jsons(result).map((json) => (target === 'router' ? json.idempotency_key : json.job_id));

/** Runs the node for rows that the node before it makes. */
function runOn(target: Target, made: () => Row[]): NodeRun {
	const around = nodeBefore(
		(items: INodeExecutionData[]) => void items.splice(0, items.length, ...made().map((row) => ({ json: { ...row } }))),
	);
	if (target === 'router')
		return jsonRun(routerCredential(sandbox), 'lab/slow', '={{ { ms: 1, color: $json.color } }}' as unknown, { around });
	const credential = target === 'pool' ? pool.credential() : credentialFor(sandbox, target);
	return submitRun(credential, colorGraph(0), { around, parameters: { options: COLOR_OF_ITEM } });
}

const restartN8n = (): void => {
	forgetArrivals();
	claimedJobs.clear();
};

/** A retry as n8n starts it. @param isOld n8n 1.x does not say which execution a retry retries. */
const retryIn = (isOld: boolean, stored: Stored): NodeRun & { executionId: string } => ({
	...retryOf(stored),
	...(isOld && { retryOf: undefined }),
});

const CHANGES: Array<[what: string, before: Row[], after: Row[], made: number]> = [
	['they were sorted, and one was added on top', rows(1, 2, 3), rows(9, 3, 1, 2), 4],
	['the first was removed, and one was edited', rows(1, 2, 3), rows(2, 9), 4],
	['only a field was edited that nothing reads', rows(1, 2), rows(1, 2).map((row) => ({ ...row, row_number: 70 })), 2],
	['one of equal rows was removed, and another row added', rows(1, 1, 2), rows(9, 1, 2), 4],
	['an equal row was added', rows(1, 2), rows(1, 1, 2), 3],
];

/** The members of the chain whose retries end well, in this order: 0 is the first execution. */
const CHAINS = [
	{ order: [2, 0], isOld: true },
	{ order: [1, 0, 2], isOld: false },
];

describe.each<Target>(['engine', 'bare_engine', 'hosted', 'v1', 'pool', 'router'])('%s', (target) => {
	it.each(CHANGES)('after a crash, each item gets its own result when %s', async (_what, before, after, made) => {
		let current = before;
		const retry = await retryAfterDeath(runOn(target, () => current));
		expect(madeOn(target)).toHaveLength(before.length);
		restartN8n();
		current = after;
		const result = await runNode(retry);
		expect(result.error).toBeUndefined();
		const jobs = madeOn(target);
		const ids = idsOf(target, result);
		expect(ids.map((id) => jobs.find((job) => job.id === id)?.color)).toEqual(after.map(({ color }) => color));
		expect(new Set(ids).size).toBe(after.length);
		expect(new Set(jobs.map(({ id }) => id)).size).toBe(made);
	});

	it.each(CHAINS)(
		'a chain of three crashes is billed once for each item, with n8n restarted before each execution: $order, n8n 1.x: $isOld',
		async ({ order, isOld }) => {
			const chain = [recovered(await diesIn(runOn(target, () => rows(1, 2))))];
			for (const last of [0, 1]) {
				restartN8n();
				chain.push(recovered(await diesIn(retryIn(isOld, chain[last]!))));
			}
			const delivered: unknown[][] = [];
			for (const member of order) {
				restartN8n();
				const result = await runNode(retryIn(isOld, chain[member]!));
				expect(result.error).toBeUndefined();
				delivered.push(idsOf(target, result));
			}
			expect(billedOn(target)).toBe(2);
			for (const ids of delivered) expect(ids).toEqual(delivered[0]);
			expect(new Set(delivered[0]).size).toBe(2);
		},
	);
});

describe('a loop', () => {
	it('in a loop, rows that have moved to other turns find their own jobs', async () => {
		let current = rows(1, 2, 1);
		const around = loopOverItems(() => current.map((row) => ({ json: { ...row } })));
		const run = submitRun(credentialFor(sandbox, 'engine'), colorGraph(0), { around, parameters: { options: COLOR_OF_ITEM } });
		const retry = await retryAfterDeath(run, { runIndex: 2 });
		const before = madeOn('engine').map(({ id }) => id);
		expect(new Set(before).size).toBe(3);
		restartN8n();
		current = rows(9, 1, 2, 1);
		const delivered = itemsOfRuns(await runNode(retry)).map(({ json }) => json.job_id);
		expect(madeOn('engine').map(({ color }) => color)).toEqual([1, 2, 1, 9]);
		expect(delivered).toEqual([expect.any(String), ...before]);
	});

	const COLORS = [0x112233, 0x445566, 0x778899];
	const jobOf = (color: number) => madeOn('engine').find((made) => made.color === color)?.id;
	const pixelOf = async (item: INodeExecutionData): Promise<number> => {
		const [red = 0, green = 0, blue = 0] = await pixelsOf(await bytesOf(item));
		return red * 0x10000 + green * 0x100 + blue;
	};

	it.each([
		['with default settings, from the trigger', 'deployment', false, [true, true, false]],
		['with default settings, from the trigger', 'engine', false, [true, true, false]],
		['with saved progress, from the second run', 'engine', true, [false, true, false]],
	] as const)(
		'creates three jobs and delivers each image once when it is retried after a crash in the second run, %s (%s)',
		async (_, way, savesProgress, found) => {
			const items = graphItems(COLORS.map(colorGraph));
			const run = runRun(credentialFor(sandbox, way), GRAPH_OF_ITEM, { items, around: loopOverItems() });
			const retry = await retryAfterDeath(run, { runIndex: 1, savesProgress });
			expect(sandbox.ledger.runs).toHaveLength(2);
			const result = await runNode(retry);
			expect(result.error).toBeUndefined();
			expect(sandbox.ledger.runs).toHaveLength(3);
			const delivered = itemsOfRuns(result);
			expect(delivered.map(({ json }) => [json.job_id, json.recovered === true])).toEqual(
				COLORS.map((color, index) => [jobOf(color), found[index]]),
			);
			expect(await Promise.all(delivered.map(pixelOf))).toEqual(COLORS);
		},
	);
});

/** What each run of the node has handed on, without what n8n makes up for runs that it did not survive. */
const itemsOfRuns = ({ runData }: NodeResult): INodeExecutionData[] =>
	(runData[NODE_NAME] ?? [])
		.flatMap(({ data }) => data?.main?.[0] ?? [])
		.filter(({ json }) => json.isArtificialRecoveredEventItem !== true);
