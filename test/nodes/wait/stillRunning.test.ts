import type { IDataObject } from 'n8n-workflow';

import { countTurns } from '../../support/turnClock';
import { until } from '../../support/until';
import { type NodeRun, runNode } from '../support/engine';
import { credentialFor, type Way } from '../support/flavours';
import { gatedGraph } from '../support/graphs';
import { retryExecution } from '../support/retried';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons, submitted, waitRun } from '../support/submit';

countTurns(5);
const sandbox = sharedSandbox();
beforeEach(() => sandbox.configure({ gateOpen: false }));
afterEach(() => sandbox.configure({ gateOpen: true }));

let seed = 64_000;
const NOT_CONNECTED = /^Job \S+ did not finish within Max Wait, and Still Running is not connected$/;

/** A finished job, and one that takes longer than Max Wait. */
async function twoJobs(
	way: Way = 'hosted',
): Promise<{ short: string; long: string; run: (options?: IDataObject, more?: Partial<NodeRun>) => NodeRun }> {
	const credential = credentialFor(sandbox, way);
	sandbox.configure({ gateOpen: true });
	const short = await finished(sandbox, gatedGraph(seed++), credential);
	sandbox.configure({ gateOpen: false });
	const long = await submitted(sandbox, gatedGraph(seed++), credential);
	await until(() => sandbox.job(long)?.status === 'running');
	const run = (options: IDataObject = {}, more: Partial<NodeRun> = {}): NodeRun =>
		waitRun(credential, [short, long], { ...more, parameters: { maxWaitMinutes: 0.02, options } });
	return { short, long, run };
}

describe.each<[Way, string]>([
	['hosted', 'live'],
	['v1', 'polling'],
	['bare_engine', 'live'],
])('a job that takes longer than Max Wait, over %s (%s)', (way, howToWait) => {
	it('fails its item if Still Running is not connected, and a retry delivers both jobs', async () => {
		const { short, long, run } = await twoJobs(way);
		const first = run({}, { executionId: 'first' });
		first.parameters = { ...first.parameters, howToWait };
		const failed = await runNode(first);
		expect(failed.error?.message).toMatch(NOT_CONNECTED);
		expect(failed.error?.message).toContain(long);
		expect(failed.error?.description).toMatch(
			/^The job continues\. Connect Still Running .*\(Minutes\)\. A retry of this execution waits for the same job again, and nothing is run twice\.\nJobs that exist: item 0/,
		);
		expect(failed.error?.context).toMatchObject({ itemIndex: 1, data: { job_id: long, code: 'still_running' } });
		sandbox.configure({ gateOpen: true });
		const retried = await runNode(retryExecution(run(), failed));
		expect(jsons(retried).map(({ job_id, status }) => [job_id, status])).toEqual([
			[short, 'succeeded'],
			[long, 'succeeded'],
		]);
	});
});

describe('Cancel Job After Max Wait', () => {
	const CANCEL = { cancelOnTimeout: true };
	const STOPPED = /^Job \S+ did not finish within Max Wait, and the node stopped it$/;

	it.each<Way>(['v1', 'bare_engine'])('fails the item and says that the node stopped the job (%s)', async (way) => {
		const { long, run } = await twoJobs(way);
		const { error } = await runNode(run(CANCEL));
		expect(error?.message).toMatch(STOPPED);
		expect(error?.description).toMatch(/^Raise Max Wait \(Minutes\), or turn off Cancel Job After Max Wait\. .*start a new execution\./);
		expect(error?.context.data).toMatchObject({ job_id: long, status: expect.stringMatching(/cancel/) as string });
		await until(() => sandbox.job(long)?.status !== 'running');
	});
});
