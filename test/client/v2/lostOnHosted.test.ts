/** A submission over v2 whose answer was lost is looked for in the account's v1 list, where v2 lists none. */
import { UnknownOutcomeError, type ApiGraph } from '../../../client';
import { failureOf } from '../support/bytes';
import { quickGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { json, serve } from '../support/server';
import { runFaster } from '../../support/fastClock';

runFaster(10);
const harness = useSandbox();
const SUBMIT = 'POST /api/v2/jobs';
const LIST_V1 = 'GET /api/jobs';

let colors = 0;
const newGraph = (): ApiGraph => quickGraph(++colors);
const newKey = (): string => crypto.randomUUID();
const lose = () => harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_after' } });
const submit = async (graph: ApiGraph, hostedUrl: string) =>
	await harness.connect('hosted', { hostedUrl }).jobs.submit({ graph }, { idempotencyKey: newKey() });

test.each([404, 501])('a list that is not there either (%d): an unknown outcome', async (status) => {
	lose();
	harness.sandbox.inject({ on: LIST_V1, times: Infinity, answer: { status } });
	const failure = await failureOf(submit(newGraph(), harness.sandbox.urls.hosted));
	expect(failure).toBeInstanceOf(UnknownOutcomeError);
	expect(failure).toMatchObject({ cause: { interface: 'v1', code: 'not_implemented' } });
});

test('a list at another address: the key goes to that origin only, and not with a redirect', async () => {
	const elsewhere = await serve(json(200, { jobs: [] }));
	const hosted = await serve((request, response) => void response.writeHead(302, { location: elsewhere.origin + request.url }).end());
	lose();
	expect(await failureOf(submit(newGraph(), hosted.origin))).toBeInstanceOf(UnknownOutcomeError);
	expect(hosted.seen.map(({ headers }) => [headers['x-api-key'], headers.authorization])).toContainEqual([
		harness.sandbox.keys.apiKey,
		undefined,
	]);
	expect(JSON.stringify(elsewhere.seen)).not.toContain(harness.sandbox.keys.apiKey);
	await Promise.all([hosted.close(), elsewhere.close()]);
});

test('a list at an address that is none: an unknown outcome', async () => {
	lose();
	expect(await failureOf(submit(newGraph(), 'nowhere'))).toBeInstanceOf(UnknownOutcomeError);
});

test('the list is not asked for anything else', async () => {
	const graph = newGraph();
	const { jobs } = harness.connect('hosted', { hostedUrl: harness.sandbox.urls.hosted });
	const { job_id } = await jobs.submit({ graph }, { idempotencyKey: newKey() });
	await jobs.get(job_id);
	await expect(jobs.list()).rejects.toMatchObject({ interface: 'v2', code: 'not_implemented' });
	expect(harness.sandbox.requests(LIST_V1)).toHaveLength(0);
});
