/** Retries that crash as well: all executions of a chain together are billed once for each item, in any order of retries. */
import { claimedJobs } from '../../../../client/recovery/claimedJobs';
import { forgetArrivals } from '../../../../nodes/shared/execution/arrivals';
import { diesIn } from '../../support/crashed';
import { type NodeRun, runNode } from '../../support/engine';
import { credentialFor, type Way } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { sharedPool } from '../../support/pool';
import { jsonRun, routerCredential } from '../../support/router';
import { freshSandbox } from '../../support/sandbox';
import { recovered, retryOf, type Stored } from '../../support/stored';
import { jsons, submitRun } from '../../support/submit';

const sandbox = freshSandbox();
const pool = sharedPool();

type Target = Way | 'pool' | 'router';

function runOn(target: Target): NodeRun {
	const items = [{ json: { color: 1 } }, { json: { color: 2 } }];
	if (target === 'router')
		return jsonRun(routerCredential(sandbox), 'lab/slow', '={{ { ms: 1, color: $json.color } }}' as unknown, { items });
	const parameters = { options: { inputValues: '={{ { Canvas: { color: $json.color } } }}' } };
	return submitRun(target === 'pool' ? pool.credential() : credentialFor(sandbox, target), colorGraph(0), { items, parameters });
}

/** The jobs that were billed. */
function billedOn(target: Target): string[] {
	if (target === 'router') return sandbox.ledger.routerRuns.map(({ requestId }) => requestId);
	return (target === 'pool' ? pool.sandboxes : [sandbox]).flatMap(({ ledger }) => ledger.runs.map(({ jobId }) => jobId));
}

const restartN8n = (): void => {
	forgetArrivals();
	claimedJobs.clear();
};

/** A retry of this execution crashes, too. @param isOld n8n 1.x does not say which execution a retry retries. */
const crashAgain = async (stored: Stored, isOld: boolean): Promise<Stored> =>
	recovered(await diesIn({ ...retryOf(stored), ...(isOld && { retryOf: undefined }) }));

/** The members of the chain whose retries end well, in this order: 0 is the first execution. */
const CHAINS = [
	{ order: [2, 0], isOld: true },
	{ order: [1, 0, 2], isOld: false },
];

describe.each<Target>(['engine', 'bare_engine', 'hosted', 'v1', 'pool', 'router'])('%s', (target) => {
	beforeEach(() => {
		for (const one of pool.sandboxes) one.ledger.runs.length = 0;
		sandbox.ledger.routerRuns.length = 0;
	});

	it.each(CHAINS)(
		'a chain of three crashes is billed once for each item, with n8n restarted before each execution: $order, n8n 1.x: $isOld',
		async ({ order, isOld }) => {
			const first = recovered(await diesIn(runOn(target)));
			restartN8n();
			const second = await crashAgain(first, isOld);
			restartN8n();
			const chain = [first, second, await crashAgain(second, isOld)];
			const results: unknown[][] = [];
			for (const member of order) {
				restartN8n();
				const { error, ...result } = await runNode({ ...retryOf(chain[member]!), ...(isOld && { retryOf: undefined }) });
				expect(error).toBeUndefined();
				results.push(jsons(result as Awaited<ReturnType<typeof runNode>>).map(({ job_id, idempotency_key: key }) => job_id ?? key));
			}
			expect(billedOn(target)).toHaveLength(2);
			for (const ids of results) expect(ids).toEqual(results[0]);
			expect(new Set(results[0]).size).toBe(2);
		},
	);
});
