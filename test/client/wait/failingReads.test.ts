import { readCredential } from '../../../nodes/shared/credentials';
import { wordsFor } from '../../../nodes/shared/messages/wordsFor';
import { hurryClock } from '../../nodes/support/clock';
import { slowGraph } from '../support/graphs';
import { useWaits, wait } from '../support/waits';

const { harness, started } = useWaits();
afterEach(() => jest.restoreAllMocks());

/** Whatever an engine is asked about its jobs but the queue. */
const HISTORY = 'GET /api/history/*';
const selfHosted = readCredential('comfySelfHostedApi', { baseUrl: 'http://127.0.0.1:8188' });

const READ = 'GET /api/v2/jobs/:id';
const gateway = { status: 404, body: '404 page not found', headers: { 'content-type': 'text/plain' } };

describe.each(['live', 'polling'] as const)('a 404 in no words of the service (%s)', (mode) => {
	test('while a gateway restarts what stands behind it: the wait goes on', async () => {
		const { connection, job } = await started('hosted', slowGraph(5, 100, mode === 'live' ? 3 : 4));
		const fault = harness.sandbox.inject({ on: READ, times: 2, answer: gateway });
		const waiting = wait(connection, job, { mode, submitted: job });
		await expect(waiting).resolves.toMatchObject({ finished: true, job: { status: 'succeeded' } });
		expect(fault.used).toBe(2);
	});

	test('of an address of which nothing is known yet ends it', async () => {
		const { connection, job } = await started('hosted', slowGraph(1, 10, mode === 'live' ? 5 : 6));
		harness.sandbox.inject({ on: READ, answer: gateway });
		await expect(wait(connection, job, { mode })).rejects.toMatchObject({ facts: { status: 404, reason: 'not_json' } });
	});
});

test('a 404 in no words of the service for ever is told after five minutes, and the job goes on', async () => {
	const { connection, job } = await started('hosted', slowGraph(5, 100, 7));
	harness.sandbox.inject({ on: READ, times: Infinity, answer: gateway });
	hurryClock();
	const failure: unknown = await wait(connection, job, { mode: 'polling', submitted: job, maxWaitMs: 20 * 60_000 }).catch(
		(error: unknown) => error,
	);
	expect(wordsFor(failure, selfHosted).message).toMatch(/could not be read for \d+ minutes: .* \(HTTP 404\)/);
});

describe.each(['live', 'polling'] as const)('a job whose history answers 500 for ever (%s)', (mode) => {
	test('W10: is told after five minutes, and goes on', async () => {
		const connection = harness.connect('self_hosted', { interface: 'engine', baseUrl: harness.sandbox.urls.engine });
		const job = await connection.jobs.submit({ graph: slowGraph(2, 20, mode === 'live' ? 1 : 2) });
		harness.sandbox.inject({
			on: HISTORY,
			surface: 'engine',
			times: Infinity,
			answer: { status: 500, body: '500 Internal Server Error', headers: { 'content-type': 'text/plain' } },
		});
		hurryClock();
		const failure: unknown = await wait(connection, job, { mode, maxWaitMs: 20_000 }).catch((error: unknown) => error);
		const { message, advice } = wordsFor(failure, selfHosted);
		expect(message).toMatch(new RegExp(`^Job ${job.job_id} could not be read for \\d+ minutes: ComfyUI could not do this`));
		expect(advice).toMatch(/was not canceled.*wait for it again by its id/);
		expect(harness.sandbox.requests('POST /api/queue')).toHaveLength(0);
		expect(harness.sandbox.requests('POST /api/interrupt')).toHaveLength(0);
	});
});
