/** Comfy Run Workflow with files, retried after n8n has died: the files go up again, the job is found all the same. */
import { picture } from '../../client/support/pictures';
import { type NodeRun, runNode } from '../support/engine';
import { fileItem } from '../support/files';
import { credentialFor, type Way } from '../support/flavours';
import { invertGraph, slowGraph } from '../support/graphs';
import { afterCrash } from '../support/retried';
import { runRun } from '../support/run';
import { jsons } from '../support/submit';
import { runFaster } from '../../support/fastClock';
import { freshSandbox } from '../support/sandbox';

runFaster(5);

const sandbox = freshSandbox();

const WAYS = ['hosted', 'deployment', 'self_hosted', 'v1', 'engine', 'bare_engine'] as const satisfies Way[];
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
const jobIds = () => sandbox.ledger.runs.map(({ jobId }) => jobId);

describe.each(WAYS)('over %s', (way) => {
	it.each(['given', 'null'] as const)('a file row: one job, found (hashes: %s)', async (hashes) => {
		sandbox.configure({ hashes });
		const run = await withFiles(way, ['cat.png']);
		const first = await runNode(run);
		const second = await runNode(afterCrash(run, first));
		expect(second.error).toBeUndefined();
		expect(sandbox.ledger.runs).toHaveLength(1);
		expect(jsons(second)[0]).toMatchObject({ job_id: jobIds()[0], recovered: true, binary_field: 'data' });
	});

	it('several items: each gets the job of its own file', async () => {
		const run = await withFiles(way, ['cat.png', 'dog.png', 'fox.png']);
		const first = await runNode(run);
		const second = await runNode(afterCrash(run, first));
		expect(second.error).toBeUndefined();
		expect(sandbox.ledger.runs).toHaveLength(3);
		expect(jsons(second).map(({ job_id }) => job_id)).toEqual(jsons(first).map(({ job_id }) => job_id));
	});

	it('random seeds: the same are drawn, and the job is found', async () => {
		const run = runRun(credentialFor(sandbox, way), slowGraph(1, 1), { parameters: { options: { seeds: 'random' } }, items: [{}, {}, {}] });
		const first = await runNode(run);
		const second = await runNode(afterCrash(run, first));
		expect(sandbox.ledger.runs).toHaveLength(3);
		expect(jsons(second).map(({ job_id, seed }) => [job_id, seed])).toEqual(jsons(first).map(({ job_id, seed }) => [job_id, seed]));
	});
});

it.each(['engine', 'bare_engine'] as const)(
	'a job that is found by its id alone tells its own seeds, whatever an expression gives now (%s)',
	async (way) => {
		const run = runRun(credentialFor(sandbox, way), slowGraph(1, 1, 4711));
		const first = await runNode(run);
		const now = { ...run, parameters: { ...run.parameters, workflow: slowGraph(1, 1, 42) } };
		const second = await runNode(afterCrash(now, first));
		expect(jobIds()).toHaveLength(1);
		expect(jsons(second)[0]).toMatchObject({ job_id: jobIds()[0], recovered: true, seed: 4711, seeds: { '2.seed': 4711 } });
	},
);

it('where the service puts names of content in place of references, each item gets the job of its own file, whatever their names', async () => {
	sandbox.configure({ workflowFiles: 'names' });
	const run = await withFiles('hosted', ['data.png', 'data.png', 'data.png']);
	const first = await runNode(run);
	const second = await runNode(afterCrash(run, first));
	expect(second.error).toBeUndefined();
	expect(sandbox.ledger.runs).toHaveLength(3);
	expect(jsons(second).map(({ job_id }) => job_id)).toEqual(jsons(first).map(({ job_id }) => job_id));
});

it('several items whose files have one name, where only names are read: said, never mixed up', async () => {
	const run = await withFiles('self_hosted', ['data.png', 'data.png', 'data.png'], { settings: { onError: 'continueRegularOutput' } });
	const first = await runNode(run);
	const second = await runNode(afterCrash(run, first));
	expect(sandbox.ledger.runs).toHaveLength(3);
	for (const [index, item] of jsons(second).entries()) {
		if (item.error === undefined) expect(item.job_id).toBe(jsons(first)[index]?.job_id);
		else expect(item.error).toMatch(/may have been submitted before/);
	}
});
