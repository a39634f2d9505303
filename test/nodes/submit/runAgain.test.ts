/** The option *Run Failed Jobs Again* of Comfy Submit Workflow. */
import { until } from '../../support/until';
import { type NodeRun, runNode } from '../support/engine';
import { credentialFor, type Way } from '../support/flavours';
import { retryExecution } from '../support/retried';
import { again, seedsIn, statusesIn, twoItems, webhook } from '../support/runAgain';
import { freshSandbox } from '../support/sandbox';
import { jsons, submitRun } from '../support/submit';

const sandbox = freshSandbox();

const hasEnded = () => statusesIn(sandbox).every((status) => status === 'failed' || status === 'succeeded');

/** Two items, of which the job of the first fails after it was submitted. */
async function submitTwo(
	way: Way,
	choice: 'no' | 'ifFree' | 'always',
): Promise<{ run: NodeRun; first: Awaited<ReturnType<typeof runNode>> }> {
	const { items, workflow } = twoItems();
	sandbox.configure({ memoryFailures: 1 });
	const run = submitRun(credentialFor(sandbox, way), workflow, { items, ...webhook(), parameters: { options: again(choice) } });
	const first = await runNode(run);
	await until(hasEnded);
	return { run, first };
}

it.each([
	['bare_engine', 'ifFree'],
	['deployment', 'always'],
	['v1', 'always'],
] as const)('a retry submits only the item again whose job failed, with the same seed (%s, %s)', async (way, choice) => {
	const { run, first } = await submitTwo(way, choice);
	const [failed, other] = jsons(first);
	const second = await runNode(retryExecution(run, first));
	await until(hasEnded);
	const [replacement, same] = jsons(second);
	expect(same?.job_id).toBe(other?.job_id);
	expect(replacement?.job_id).not.toBe(failed?.job_id);
	expect(replacement?.seeds).toEqual(failed?.seeds);
	expect(statusesIn(sandbox).toSorted()).toEqual(['failed', 'succeeded', 'succeeded']);
	expect(new Set(seedsIn(sandbox)).size).toBe(2);
	const third = await runNode(retryExecution(run, second));
	expect(jsons(third).map(({ job_id }) => job_id)).toEqual(jsons(second).map(({ job_id }) => job_id));
});

it.each([
	['bare_engine', 'no'],
	['deployment', 'ifFree'],
] as const)('a retry returns the failed job if it may not run again (%s, %s)', async (way, choice) => {
	const { run, first } = await submitTwo(way, choice);
	const second = await runNode(retryExecution(run, first));
	expect(jsons(second).map(({ job_id }) => job_id)).toEqual(jsons(first).map(({ job_id }) => job_id));
	expect(jsons(second)[0]).toMatchObject({ status: 'failed' });
	expect(sandbox.ledger.runs).toHaveLength(2);
});
