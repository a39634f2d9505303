/** Rows that another node makes again in a retry after a crash: each item gets its own image, and no image is paid twice. */
import type { INodeExecutionData } from 'n8n-workflow';

import { claimedJobs } from '../../../../client/recovery/claimedJobs';
import { forgetArrivals } from '../../../../nodes/shared/execution/arrivals';
import { loopOverItems, nodeBefore } from '../../support/around';
import { retryAfterDeath } from '../../support/crashed';
import { type NodeRun, runNode } from '../../support/engine';
import { credentialFor, type Way } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { sharedPool } from '../../support/pool';
import { jsonRun, routerCredential } from '../../support/router';
import { freshSandbox } from '../../support/sandbox';
import { jsons, submitRun } from '../../support/submit';

const sandbox = freshSandbox();
const pool = sharedPool();

interface Row {
	color: number;
	/** No expression reads it. */
	row_number: number;
}

const rows = (...colors: number[]): Row[] => colors.map((color, index) => ({ color, row_number: index + 2 }));

const CHANGES: Array<[what: string, before: Row[], after: Row[], made: number]> = [
	['they were sorted, and one was added on top', rows(1, 2, 3), rows(9, 3, 1, 2), 4],
	['the first was removed, and one was edited', rows(1, 2, 3), rows(2, 9), 4],
	['only a field was edited that nothing reads', rows(1, 2), rows(1, 2).map((row) => ({ ...row, row_number: 70 })), 2],
	['one of equal rows was removed, and another row added', rows(1, 1, 2), rows(9, 1, 2), 4],
	['an equal row was added', rows(1, 2), rows(1, 1, 2), 3],
];

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

/** Runs the node for rows that the node before it makes. */
function runOn(target: Target, made: () => Row[]): NodeRun {
	const around = nodeBefore(
		(items: INodeExecutionData[]) => void items.splice(0, items.length, ...made().map((row) => ({ json: { ...row } }))),
	);
	if (target === 'router')
		return jsonRun(routerCredential(sandbox), 'lab/slow', '={{ { ms: 1, color: $json.color } }}' as unknown, { around });
	const parameters = { options: { inputValues: '={{ { Canvas: { color: $json.color } } }}' } };
	return submitRun(target === 'pool' ? pool.credential() : credentialFor(sandbox, target), colorGraph(0), { around, parameters });
}

const restartN8n = (): void => {
	forgetArrivals();
	claimedJobs.clear();
};

const TARGETS: Target[] = ['engine', 'bare_engine', 'hosted', 'v1', 'pool', 'router'];

describe.each(TARGETS)('%s', (target) => {
	beforeEach(() => {
		for (const one of pool.sandboxes) one.ledger.runs.length = 0;
	});

	it.each(CHANGES)('after a crash, each item gets its own result when %s', async (_what, before, after, made) => {
		let current = before;
		const retry = await retryAfterDeath(runOn(target, () => current));
		expect(madeOn(target)).toHaveLength(before.length);
		restartN8n();
		current = after;
		const result = await runNode(retry);
		expect(result.error).toBeUndefined();
		const jobs = madeOn(target);
		const ids = jsons(result).map((json) => (target === 'router' ? json.idempotency_key : json.job_id));
		expect(ids.map((id) => jobs.find((job) => job.id === id)?.color)).toEqual(after.map(({ color }) => color));
		expect(new Set(ids).size).toBe(after.length);
		expect(new Set(jobs.map(({ id }) => id)).size).toBe(made);
	});
});

it('in a loop, rows that have moved to other turns find their own jobs', async () => {
	let current = rows(1, 2, 1);
	const around = loopOverItems(() => current.map((row) => ({ json: { ...row } })));
	const parameters = { options: { inputValues: '={{ { Canvas: { color: $json.color } } }}' } };
	const run = submitRun(credentialFor(sandbox, 'engine'), colorGraph(0), { around, parameters });
	const retry = await retryAfterDeath(run, { runIndex: 2 });
	expect(madeOn('engine')).toHaveLength(3);
	restartN8n();
	current = rows(9, 1, 2, 1);
	await runNode(retry);
	expect(madeOn('engine').map(({ color }) => color)).toEqual([1, 2, 1, 9]);
});
