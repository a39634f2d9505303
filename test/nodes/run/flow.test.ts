import { startSandbox } from '../../../sandbox';
import type { Sandbox } from '../../../sandbox/types';
import { runNode } from '../support/engine';
import { credentialFor, interfaceOf, ways } from '../support/flavours';
import { colorGraph, slowGraph } from '../support/graphs';
import { runRun } from '../support/run';
import { jsons } from '../support/submit';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(async () => await sandbox.close());

let seed = 31_000;

describe.each(ways)('over %s', (way) => {
	it('one node: submits, waits, and hands on the file', async () => {
		const result = await runNode(runRun(credentialFor(sandbox, way), colorGraph(seed++)));
		expect(result.error).toBeUndefined();
		const [item] = result.outputs[0] ?? [];
		expect(item?.json).toMatchObject({ job_id: expect.any(String), interface: interfaceOf(way), status: 'succeeded', binary_field: 'data' });
		expect(item?.binary?.data).toMatchObject({ mimeType: 'image/png' });
	});

	it('what still runs after Max Wait leaves by the second output', async () => {
		const result = await runNode(runRun(credentialFor(sandbox, way), slowGraph(100, 50, seed++), { parameters: { options: { maxWaitMinutes: 0.005 } } }));
		expect(result.error).toBeUndefined();
		expect(result.outputs[0] ?? []).toEqual([]);
		const [still] = jsons(result, 1);
		expect(still).toMatchObject({ job_id: expect.any(String), interface: interfaceOf(way) });
		expect(['queued', 'running']).toContain(still?.status);
	});
});
