/** Submissions before and while the live feed of the connection is open. */
import { type JobEvent, waitForJob } from '../../../client';
import { DEFAULT_LIMITS } from '../../../client/requests/serviceApi';
import type { SocketFeed } from '../../../client/comfyui/socketFeed';
import { V1Api } from '../../../client/v1/api';
import { V1JobService } from '../../../client/v1/service';
import { until } from '../../support/until';
import { connected, useFeeds } from '../support/feeds';
import { text } from '../support/frames';
import { gatedGraph, quickGraph, slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { decodeImages } from '../support/outputs';
import { json } from '../support/server';
import { serveSockets, type SocketServer } from '../support/socketServer';
import { useTransport } from '../support/transport';
import { JOB, STATUS } from '../support/v1';

const { feed, follow } = useFeeds();
const { server: serve, client } = useTransport();
let sockets: SocketServer;
beforeEach(async () => {
	sockets = await serveSockets();
});
afterEach(async () => await sockets.close());

const graph = slowGraph(1, 1);

/** The service calls its jobs `j` and `k`. @param onPrompt called before a submission is answered. */
async function serviceBeside(jobEvents: SocketFeed, onPrompt: () => Promise<void>) {
	const ids = ['j', 'k'];
	const { origin } = await serve(async (request, response) => {
		await onPrompt();
		await json(200, { prompt_id: ids.shift(), number: 1, node_errors: {} })(request, response);
	});
	const api = new V1Api(client({ origin }), { origin, prefix: '' }, DEFAULT_LIMITS);
	return new V1JobService(api, 'identity', jobEvents, decodeImages);
}

test('a job is read unless its socket was open during its whole submission, and its progress counts the submitted nodes', async () => {
	const jobEvents = feed(sockets.url);
	const follower = follow(jobEvents);
	await connected(follower);
	let losesSocket = false;
	const service = await serviceBeside(jobEvents, async () => {
		if (!losesSocket) return;
		sockets.sockets.at(-1)?.terminate();
		await until(() => follower.connects === 2);
	});
	await service.submit({ graph });
	expect(jobEvents.hasAllEvents('j')).toBe(true);
	losesSocket = true;
	await service.submit({ graph: quickGraph() });
	expect([jobEvents.session !== undefined, jobEvents.hasAllEvents('k')]).toEqual([true, false]);
	for (const prompt_id of ['j', 'k']) sockets.sockets.at(-1)?.send(text('executing', { prompt_id, node: '1' }));
	await until(() => follower.of('progress').length === 2);
	expect(follower.of('progress').map(({ progress }) => progress.nodes_total)).toEqual([3, 2]);
});

describe('on the hosted service', () => {
	const harness = useSandbox();
	const stop = new AbortController();
	afterEach(() => harness.sandbox.configure({ workers: 4, gateOpen: true }));
	afterAll(() => stop.abort());

	test('the progress of a recovered job is computed from the number of its nodes', async () => {
		harness.sandbox.configure({ workers: 0 });
		const earlier = { answerLost: true, firstSentAt: Date.now() - 1_000 };
		const sent = await harness.connectV1().jobs.submit({ graph }, { submissionId: 's' });
		const { jobs, feed: jobEvents } = harness.connectV1();
		const events: JobEvent[] = [];
		let isConnected = false;
		const onEvent = (event: JobEvent, jobId: string | null): void => void (jobId === sent.job_id && events.push(event));
		void jobEvents?.follow({ onEvent, onConnect: () => (isConnected = true), onTrouble: () => undefined }, stop.signal);
		await until(() => isConnected);
		await expect(jobs.submit({ graph }, { submissionId: 's', earlier })).resolves.toMatchObject({ job_id: sent.job_id });
		harness.sandbox.configure({ workers: 4 });
		await until(() => events.some(({ kind }) => kind === 'progress'));
		expect(events.find(({ kind }) => kind === 'progress')).toMatchObject({ progress: { nodes_total: 3 } });
	});

	test('the outputs of a job whose first frames came before the feed was open are read', async () => {
		harness.sandbox.configure({ gateOpen: false });
		const { jobs } = harness.connectV1();
		const { job_id } = await jobs.submit({ graph: gatedGraph(1, 1) });
		await until(() => harness.sandbox.job(job_id)?.status === 'running');
		const waiting = waitForJob(jobs, job_id, { mode: 'live', maxWaitMs: 60_000 });
		await until(() => harness.sandbox.sockets('hosted').length > 0 && harness.sandbox.requests(STATUS).length > 0);
		harness.sandbox.configure({ gateOpen: true });
		await expect(waiting).resolves.toMatchObject({ job: { status: 'succeeded', outputs: [{ node_id: '3' }], outputs_count: 1 } });
		expect(harness.sandbox.requests(JOB)).toHaveLength(1);
	});
});
