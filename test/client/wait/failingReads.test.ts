import { readCredential } from '../../../nodes/shared/credentials';
import { wordsFor } from '../../../nodes/shared/messages/wordsFor';
import { hurryClock } from '../../nodes/support/clock';
import { slowGraph } from '../support/graphs';
import { useWaits, wait } from '../support/waits';

const { harness } = useWaits();
afterEach(() => jest.restoreAllMocks());

/** Whatever an engine is asked about its jobs but the queue. */
const HISTORY = 'GET /api/history/*';
const selfHosted = readCredential('comfySelfHostedApi', { baseUrl: 'http://127.0.0.1:8188' });

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
