import { startSandbox } from '../../../sandbox';
import type { Sandbox } from '../../../sandbox/types';
import { runNode } from '../support/engine';
import { credentialFor, type Way, ways } from '../support/flavours';
import { slowGraph } from '../support/graphs';
import { runRun } from '../support/run';

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox({ engineJobRoutes: true });
});
afterEach(async () => await sandbox.close());

/** What is asked once for all items of a run, before the first: what this server is, and whether the engine is awake. */
const LOOKS: Partial<Record<Way, number>> = { self_hosted: 1, engine: 1, bare_engine: 2 };

/**
 * The submission, the stream, one read at the end, the file. Over v1 and engines the socket tells nothing of what was
 * before it, so that the status is read beside it; v1 has two records of a job, and redirects to its files.
 */
const OF_A_JOB: Record<Way, number> = { hosted: 4, deployment: 4, self_hosted: 4, self_hosted_token: 4, v1: 7, engine: 6, bare_engine: 6 };

it.each(ways)('a job with one output and no upload takes few requests over %s', async (way) => {
	const credential = credentialFor(sandbox, way);
	sandbox.resetRecords();
	const result = await runNode(runRun(credential, slowGraph(5, 60, 3)));
	expect(result.error).toBeUndefined();
	const asked = sandbox.requests().map(({ method, path, status }) => `${method} ${path} ${status}`);
	expect(asked.length).toBeLessThanOrEqual(OF_A_JOB[way] + (LOOKS[way] ?? 0));
});

it.each(['hosted', 'self_hosted'] as const)('20 items take 20 times as many, and one look (over %s)', async (way) => {
	const items = Array.from({ length: 20 }, (_, index) => ({ json: { graph: JSON.stringify(slowGraph(2, 20, index)) } }));
	const result = await runNode(runRun(credentialFor(sandbox, way), '={{ $json.graph }}', { items }));
	expect(result.outputs[0]).toHaveLength(20);
	expect(sandbox.requests().length).toBeLessThanOrEqual(20 * OF_A_JOB[way] + (LOOKS[way] ?? 0));
});
