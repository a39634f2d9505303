import { picture } from '../../client/support/pictures';
import { countTurns } from '../../support/turnClock';
import { until } from '../../support/until';
import { type NodeRun, runNode, startNode } from '../support/engine';
import { CONTINUE, fileItem } from '../support/files';
import { credentialFor, type Way } from '../support/flavours';
import { colorGraph, GRAPH_OF_ITEM, graphItems, invertGraph, slowGraph } from '../support/graphs';
import { afterCrash, RETRY, storedContext } from '../support/retried';
import { runRun } from '../support/run';
import { freshSandbox } from '../support/sandbox';
import { jsons } from '../support/submit';

countTurns(5);
const sandbox = freshSandbox();

it('a failed download is tried again without a second job', async () => {
	sandbox.inject({ on: 'GET /blobs/:id', surface: 'storage', times: 20, answer: { status: 404 } });
	const failed = await runNode(runRun(credentialFor(sandbox), colorGraph(3), CONTINUE));
	expect(jsons(failed)[0]).toMatchObject({
		job_id: sandbox.ledger.runs[0]?.jobId,
		status: 'succeeded',
		seed: null,
		error: expect.stringContaining('no longer has the file'),
	});
	sandbox.clearFaults();
	const again = await runNode(
		runRun(credentialFor(sandbox), colorGraph(3), { contextData: storedContext(failed), executionId: 'another' }),
	);
	expect(jsons(again)[0]).toMatchObject({ job_id: sandbox.ledger.runs[0]?.jobId, binary_field: 'data' });
	expect(sandbox.ledger.runs).toHaveLength(1);
});

it.each(['v1', 'engine'] as const)('a stop cancels the jobs in flight, keeps finished ones, and starts no more (over %s)', async (way) => {
	sandbox.configure({ workers: 2, engineConcurrency: 2 });
	const graphs = [colorGraph(4), ...[5, 6, 7, 8, 9].map((seed) => slowGraph(2_000, 50, seed))];
	const run = runRun(credentialFor(sandbox, way), GRAPH_OF_ITEM, {
		items: graphItems(graphs),
		parameters: { options: { concurrency: 3 } },
		settings: RETRY,
	});
	const { result, stop } = startNode(run);
	const jobs = () => sandbox.ledger.runs.map(({ jobId }) => sandbox.job(jobId)?.status);
	await until(() => jobs().length === 4 && jobs().includes('succeeded') && jobs().includes('running'));
	stop();
	await result.catch(() => undefined);
	// An engine keeps nothing of a job that has not run; which of them is canceled first is open.
	const stopped = () => jobs().filter((status) => status === 'canceled' || (way === 'engine' && status === 'expired'));
	await until(() => stopped().length === 3);
	await new Promise((resolve) => setTimeout(resolve, 500));
	expect([jobs().length, stopped().length, jobs().filter((status) => status === 'succeeded').length]).toEqual([4, 3, 1]);
});

const WAYS = ['hosted', 'self_hosted', 'v1', 'bare_engine'] as const satisfies Way[];
const FILES = {
	values: [{ input: { mode: 'list', value: '1.image', cachedResultName: 'Picture · image' }, from: 'binary', binaryPropertyName: 'data' }],
};
const withFiles = async (way: Way, names: string[], more: Partial<NodeRun> = {}): Promise<NodeRun> => {
	const items = await Promise.all(names.map(async (name, index) => fileItem(await picture(0x203040 + 9 * index, 8), name)));
	return runRun(credentialFor(sandbox, way), invertGraph(), {
		items,
		...more,
		parameters: { files: FILES, options: {}, ...more.parameters },
	});
};

describe.each(WAYS)('over %s', (way) => {
	it.each(['given', 'null'] as const)(
		'a retry after a crash returns the job of its own file for each item (hashes: %s)',
		async (hashes) => {
			sandbox.configure({ hashes });
			const run = await withFiles(way, ['cat.png', 'dog.png', 'fox.png']);
			const first = await runNode(run);
			const second = await runNode(afterCrash(run, first));
			expect(second.error).toBeUndefined();
			expect(sandbox.ledger.runs).toHaveLength(3);
			expect(jsons(second).map(({ job_id }) => job_id)).toEqual(jsons(first).map(({ job_id }) => job_id));
		},
	);
});

it('each item gets the job of its own file when the service replaces references by content names', async () => {
	sandbox.configure({ workflowFiles: 'names' });
	const run = await withFiles('hosted', ['data.png', 'data.png', 'data.png']);
	const first = await runNode(run);
	const second = await runNode(afterCrash(run, first));
	expect(second.error).toBeUndefined();
	expect(sandbox.ledger.runs).toHaveLength(3);
	expect(jsons(second).map(({ job_id }) => job_id)).toEqual(jsons(first).map(({ job_id }) => job_id));
});

it('items whose files share a name are reported as unconfirmed when only names can be read, and never mixed up', async () => {
	const run = await withFiles('self_hosted', ['data.png', 'data.png', 'data.png'], { settings: { onError: 'continueRegularOutput' } });
	const first = await runNode(run);
	const second = await runNode(afterCrash(run, first));
	expect(sandbox.ledger.runs).toHaveLength(3);
	for (const [index, item] of jsons(second).entries()) {
		if (item.error === undefined) expect(item.job_id).toBe(jsons(first)[index]?.job_id);
		else expect(item.error).toMatch(/may have submitted this item/);
	}
});
