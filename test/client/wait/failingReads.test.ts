import { waitForJob } from '../../../client';
import { readCredential } from '../../../nodes/shared/credentials';
import { wordsFor } from '../../../nodes/shared/messages/wordsFor';
import { hurryClock } from '../../nodes/support/clock';
import { failureOf } from '../support/bytes';
import { slowGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';

const harness = useSandbox();
afterEach(() => jest.restoreAllMocks());

const PLAIN = { 'content-type': 'text/plain' };

test.each([
	['over v2', { on: 'GET /api/v2/jobs/:id', answer: { status: 404, body: '404 page not found', headers: PLAIN } }, /.* \(HTTP 404\)/],
	[
		'W10: of an engine',
		{ on: 'GET /api/history/*', answer: { status: 500, body: '500 Internal Server Error', headers: PLAIN } },
		/ComfyUI could not run this request/,
	],
])('a job %s that cannot be read is reported after five minutes, and goes on', async (name, rule, reason) => {
	const toEngine = { interface: 'engine', baseUrl: harness.sandbox.urls.engine } as const;
	const { jobs } = name === 'over v2' ? harness.connect() : harness.connect('self_hosted', toEngine);
	const submitted = await jobs.submit({ graph: slowGraph(2, 20) });
	harness.sandbox.inject({ ...rule, times: Infinity });
	hurryClock();
	const failure = await failureOf(waitForJob(jobs, submitted.job_id, { mode: 'polling', maxWaitMs: 20 * 60_000, submitted }));
	const { message, advice } = wordsFor(failure, readCredential('comfySelfHostedApi', { baseUrl: 'http://127.0.0.1:8188' }));
	const beginning = `^Job ${submitted.job_id} could not be read for \\d+ minutes: `;
	expect(message).toMatch(new RegExp(beginning + reason.source));
	expect(advice).toMatch(/was not canceled[^]*wait for the job by its ID/);
	for (const route of ['POST /api/v2/jobs/:id/cancel', 'POST /api/queue', 'POST /api/interrupt'])
		expect(harness.sandbox.requests(route)).toHaveLength(0);
});
