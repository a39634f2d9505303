import { until } from '../support/until';
import { runNode } from './support/engine';
import { credentialFor, type Way, ways } from './support/flavours';
import { slowGraph } from './support/graphs';
import { runRun } from './support/run';
import { jsons, submitted, waitRun } from './support/submit';
import { runFaster } from '../support/fastClock';
import { sharedSandbox } from './support/sandbox';

runFaster(5);

const sandbox = sharedSandbox({ workers: 0 });
beforeEach(() => sandbox.configure({ workers: 0 }));

const QUEUED_MS = 900;
const RAN_MS = 1_200;
let seed = 77_000;
/** The wait has read the job, and listens. */
const listened = async (way: Way) =>
	await until(
		() => (way === 'v1' || way.includes('engine') ? sandbox.sockets().length : sandbox.requests('GET /api/v2/jobs/:id/events').length) > 0,
	);

/** What one tells is the service's own time or ours, which begins when its answer has come, and a busy machine is late. */
function expectTimes({ queued_seconds: queued, ran_seconds: ran }: Record<string, unknown>): void {
	expect(queued).toBeGreaterThanOrEqual(QUEUED_MS / 3_000);
	expect(queued).toBeLessThan(60);
	expect(ran).toBeGreaterThanOrEqual(RAN_MS / 3_000);
	expect(ran).toBeLessThan(60);
}

describe.each(ways)('over %s', (way) => {
	let before: number;
	beforeEach(async () => {
		await until(() => sandbox.sockets().length === 0);
		before = sandbox.ledger.runs.length;
	});
	const letGoLater = async (): Promise<void> => {
		await listened(way);
		await until(() => sandbox.ledger.runs.length > before);
		await new Promise((resolve) => setTimeout(resolve, QUEUED_MS));
		sandbox.configure({ workers: 4 });
	};

	it('Wait For Job says how long the job queued and ran', async () => {
		const credential = credentialFor(sandbox, way);
		const jobId = await submitted(sandbox, slowGraph(1, RAN_MS, seed++), credential);
		sandbox.resetRecords();
		const waiting = runNode(waitRun(credential, [jobId]));
		await letGoLater();
		expectTimes(jsons(await waiting)[0] ?? {});
	});

	it('Run Workflow says it as well', async () => {
		sandbox.resetRecords();
		const running = runNode(runRun(credentialFor(sandbox, way), slowGraph(1, RAN_MS, seed++)));
		await letGoLater();
		expectTimes(jsons(await running)[0] ?? {});
	});
});

it('a proxy tells no times: of a job that runs already nobody knows', async () => {
	const credential = credentialFor(sandbox, 'self_hosted');
	sandbox.configure({ workers: 4 });
	const jobId = await submitted(sandbox, slowGraph(1, 1_500, seed++), credential);
	await until(() => sandbox.job(jobId)?.status === 'running');
	const [job] = jsons(await runNode(waitRun(credential, [jobId])));
	expect(job).toMatchObject({ status: 'succeeded', queued_seconds: null, ran_seconds: null });
});

it('a job that still waits has run for no time that anybody knows', async () => {
	const jobId = await submitted(sandbox, slowGraph(1, RAN_MS, seed++));
	const { outputs } = await runNode(waitRun(credentialFor(sandbox), [jobId], { parameters: { maxWaitMinutes: 0 } }));
	expect(outputs[1]?.[0]?.json).toMatchObject({ status: 'queued', queued_seconds: null, ran_seconds: null });
});
