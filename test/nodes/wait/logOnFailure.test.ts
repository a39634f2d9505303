import type { IDataObject } from 'n8n-workflow';

import { runFaster } from '../../support/fastClock';
import { type NodeRun, runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor, type Way } from '../support/flavours';
import { colorGraph, failingGraph, GRAPH_OF_ITEM, graphItems } from '../support/graphs';
import { runRun } from '../support/run';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitted, waitRun } from '../support/submit';

runFaster(5);
const sandbox = sharedSandbox({ workers: 1 });
beforeEach(() => sandbox.restartEngine());

const LOG = 'GET /internal/logs/raw';
const SAVE = { options: { logOnFailure: true } };
/** The item with the index 1 does without it. */
const SAVE_FIRST = { options: { logOnFailure: '={{ $itemIndex !== 1 }}', concurrency: 1 } };
const graphs = () => [failingGraph('CUDA out of memory'), failingGraph('no face was found'), colorGraph(84_001)];

const NODES: Record<string, (way: Way, parameters: IDataObject, more?: Partial<NodeRun>) => Promise<NodeRun>> = {
	'Comfy Run Workflow': async (way, parameters, more = CONTINUE) =>
		await Promise.resolve(runRun(credentialFor(sandbox, way), GRAPH_OF_ITEM, { items: graphItems(graphs()), parameters, ...more })),
	'Comfy Wait For Job': async (way, parameters, more = CONTINUE) => {
		const jobIds: string[] = [];
		for (const graph of graphs()) jobIds.push(await submitted(sandbox, graph, credentialFor(sandbox, way)));
		return waitRun(credentialFor(sandbox, way), jobIds, { parameters, ...more });
	},
};

describe.each(Object.entries(NODES))('Log On Failure of %s', (_, runOf) => {
	it.each<[Way, RegExp]>([
		['deployment', /^got prompt\n100%.*\n!!! Exception during processing !!! CUDA out of memory\n[^]*\nPrompt executed in \S+ seconds$/],
		['bare_engine', /^got prompt\n[^]*!!! Exception during processing !!! CUDA out of memory\n[^]*\nPrompt executed in \S+ seconds$/],
		['self_hosted', /^got prompt\n[^]*!!! Exception during processing !!! CUDA out of memory\n/],
	])('adds the log to a failed item, and to none that turns it off or succeeds (%s)', async (way, log) => {
		const [first, second, third] = jsons(await runNode(await runOf(way, SAVE_FIRST)));
		expect(first).toMatchObject({
			status: 'failed',
			error: expect.stringContaining('CUDA out of memory'),
			log: expect.stringMatching(log),
		});
		expect(second).toMatchObject({ status: 'failed', error: expect.stringContaining('no face was found') });
		expect(second).not.toHaveProperty('log');
		expect(third).toMatchObject({ status: 'succeeded' });
		expect(third).not.toHaveProperty('log');
	});

	it('adds the last 40 lines, without secrets, to the details of the error if the node fails', async () => {
		sandbox.print(Array.from({ length: 60 }, (_line, index) => `line ${index} ${sandbox.keys.partnerKey}\n`).join(''));
		const { error } = await runNode(await runOf('bare_engine', { options: { logOnFailure: true, concurrency: 1 } }, {}));
		expect(error?.message).toContain('CUDA out of memory');
		const { log } = error?.context.data as { log: string };
		expect(log.split('\n')).toHaveLength(40);
		expect(log).toMatch(/^line \d\d \*\*\*\n/);
		expect(log).toContain('!!! Exception during processing !!! CUDA out of memory\n');
	});

	it('reports the failure as usual, with null as the log, if a log cannot be read or does not arrive', async () => {
		sandbox.inject({ on: LOG, answer: { status: 404 } });
		sandbox.inject({ on: LOG, fault: { kind: 'stall' } });
		const [first, second] = jsons(await runNode(await runOf('bare_engine', { options: { logOnFailure: true, concurrency: 1 } })));
		expect(first).toMatchObject({ status: 'failed', error: expect.stringContaining('CUDA out of memory'), log: null });
		expect(second).toMatchObject({ status: 'failed', error: expect.stringContaining('no face was found'), log: null });
		expect(sandbox.requests(LOG)).toHaveLength(2);
	});

	it('reads no log for a service without logs, for an agent, or if it is off, as it is by default', async () => {
		const [first, second] = jsons(await runNode(await runOf('hosted', SAVE)));
		expect([first, second]).toMatchObject([
			{ status: 'failed', log: null },
			{ status: 'failed', log: null },
		]);
		await runNode(await runOf('bare_engine', {}));
		await runNode(await runOf('bare_engine', SAVE, { asTool: true }));
		expect(sandbox.requests(LOG)).toEqual([]);
	});
});
