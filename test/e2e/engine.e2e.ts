import sharp from 'sharp';
import { importWorkflow, itemsOf, readExample } from '../../scripts/n8nHost';
import { nodeNamed } from '../../scripts/demo/steps';
import { engineRequests, onServer, saveServer, submitToEngine } from './support/engine';
import { endless, gated, quick } from './support/graphs';
import { openSession, type Session } from './support/session';
import { nobody } from './support/strangers';
import { until } from './support/until';
import { chain, items, TRIGGER } from './support/workflows';

let session: Session;
beforeEach(async () => {
	session = await openSession();
});
afterEach(() => session.close());

const statusOf = (jobId: string) => session.sandbox.job(jobId)?.status;
const untilStatus = async (jobId: string, status: string) =>
	await until(`${jobId} to be ${status}`, () => (statusOf(jobId) === status ? true : undefined));

test('bare-comfyui makes its picture on an engine without a proxy', async () => {
	const example = await readExample('bare-comfyui');
	const workflow = await importWorkflow(session.rest, example, await saveServer(session));
	const execution = await session.rest.waitFor(await session.rest.run(workflow, nodeNamed(example, 'n8n-nodes-base.manualTrigger')));
	expect(execution.data.resultData.error).toBeUndefined();

	const [item] = itemsOf(execution, nodeNamed(example, 'n8n-nodes-comfy.comfyDownloadOutputs'));
	const file = await session.rest.binary(item?.binary?.data?.id ?? 'none');
	const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
	expect([info.width, info.height]).toEqual([256, 192]);
	expect(data.equals(Buffer.alloc(data.length, Buffer.from([0x1f, 0x5f, 0xcf])))).toBe(true);
	expect(item?.json.interface).toBe('engine');
	expect(session.sandbox.ledger.runs).toHaveLength(1);
	expect(session.sandbox.requests('POST /api/v2/jobs')).toEqual([]);
});

test('20 items become 20 jobs of an engine, and 20 files in the order of the items', async () => {
	const COUNT = 20;
	const submit = onServer('comfySubmitWorkflow', {
		options: { interface: 'engine' },
		workflow: JSON.stringify(quick),
		inputs: {
			values: [
				{
					input: { __rl: true, mode: 'list', value: '2.filename_prefix', cachedResultName: 'SaveImage · filename_prefix (was "quick")' },
					value: '=item-{{ $json.index }}',
				},
			],
		},
	});
	const wait = onServer('comfyWaitForJob', { options: { interface: 'engine' } });
	const download = onServer('comfyDownloadOutputs', { options: { interface: 'engine' } });
	const credentials = await saveServer(session, { baseUrl: await nobody(), engineUrl: session.sandbox.urls.engine });
	const id = await session.start(chain('20 items on an engine', ...items(COUNT), submit, wait, download), TRIGGER, credentials);
	const execution = await session.rest.waitFor(id);

	expect(execution.data.resultData.error).toBeUndefined();
	const saved = itemsOf(execution, 'comfyDownloadOutputs');
	expect(saved.map(({ binary }) => binary?.data?.fileName)).toEqual(
		Array.from({ length: COUNT }, (_, index) => `item-${index}_00001_.png`),
	);
	expect(saved.every(({ binary }) => binary?.data?.id !== undefined)).toBe(true);
	expect(new Set(saved.map(({ json }) => json.job_id)).size).toBe(COUNT);
	expect(session.sandbox.ledger.runs).toHaveLength(COUNT);
});

async function startWaiting(graph: object): Promise<{ execution: string; jobId: string }> {
	const runs = session.sandbox.ledger.runs.length;
	const nodes = [onServer('comfySubmitWorkflow', { workflow: JSON.stringify(graph) }), onServer('comfyWaitForJob')];
	const execution = await session.start(chain('stopped on an engine', ...nodes), TRIGGER, await saveServer(session));
	const { jobId } = await until('the job', () => session.sandbox.ledger.runs[runs]);
	await until('the wait to begin', () => session.sandbox.sockets('engine').find(({ clientId }) => clientId !== null));
	return { execution, jobId };
}

test.each(['by_id', 'whatever_runs'] as const)(
	'stopping an execution takes its waiting job out of the queue, and the running one of somebody else goes on (interrupt: %s)',
	async (engineInterrupt) => {
		session.sandbox.configure({ engineInterrupt, gateOpen: false });
		const others = await submitToEngine(session, gated(1));
		const { execution, jobId } = await startWaiting(quick);
		expect([statusOf(others), statusOf(jobId)]).toEqual(['running', 'queued']);

		await session.rest.stop(execution);
		await until('the cancellation', () => session.sandbox.ledger.cancels.find((cancel) => cancel.jobId === jobId));
		session.sandbox.configure({ gateOpen: true });
		await untilStatus(others, 'succeeded');
		expect(session.sandbox.ledger.executedNodes.filter((node) => node.jobId === jobId)).toEqual([]);
		expect(engineRequests(session, 'POST', '/interrupt')).toEqual([]);
	},
);

test('stopping an execution stops its running job, and the waiting job of another user runs next', async () => {
	const { execution, jobId } = await startWaiting(endless);
	await untilStatus(jobId, 'running');
	const others = await submitToEngine(session, quick);

	await session.rest.stop(execution);
	await untilStatus(jobId, 'canceled');
	await untilStatus(others, 'succeeded');
	expect(session.sandbox.ledger.cancels.map((cancel) => cancel.jobId)).toEqual([jobId]);
});
