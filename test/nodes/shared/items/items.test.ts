import { runNode } from '../../support/engine';
import { assetRun } from '../../support/files';
import { credentialFor, surfaces } from '../../support/flavours';
import { COLOR_OF_ITEM, colorGraph, colorItems } from '../../support/graphs';
import { jsons, submitRun } from '../../support/submit';
import { freshSandbox } from '../../support/sandbox';

const sandbox = freshSandbox();

const submitAll = async (count: number, more: { concurrency?: unknown; onError?: 'continueRegularOutput' | 'continueErrorOutput' } = {}) =>
	await runNode(
		submitRun(credentialFor(sandbox), colorGraph(0), {
			items: colorItems(count),
			settings: more.onError === undefined ? {} : { onError: more.onError },
			parameters: {
				options: { ...COLOR_OF_ITEM, ...('concurrency' in more && { concurrency: more.concurrency as number }) },
			},
		}),
	);
const colorOf = (jobId: unknown) => sandbox.job(String(jobId))?.graph['1']?.inputs.color;

it.each([1, 3, 7])('Concurrency %i bounds items in flight; results come in input order, paired', async (concurrency) => {
	// Long enough for all of them to be under way at once, on a busy machine as well.
	sandbox.inject({ on: 'POST /api/v2/jobs', times: Infinity, fault: { kind: 'delay', ms: 60 * concurrency } });
	const result = await submitAll(20, { concurrency });
	expect(sandbox.peak('POST /api/v2/jobs')).toBe(concurrency);
	expect(jsons(result).map(({ job_id }) => colorOf(job_id))).toEqual(colorItems(20).map(({ json }) => json?.color));
	expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(colorItems(20).map((_, item) => ({ item })));
});

it('an item that takes longer than those after it keeps its place', async () => {
	for (const ms of [900, 600, 300]) sandbox.inject({ on: 'POST /api/v2/jobs', times: 1, fault: { kind: 'delay', ms } });
	const result = await submitAll(3, { concurrency: 3 });
	expect(jsons(result).map(({ job_id }) => colorOf(job_id))).toEqual([0, 1, 2]);
});

it.each(['={{ "many" }}', 0, '={{ null }}'])('Concurrency %j is rejected by its label before anything is sent', async (concurrency) => {
	const { error } = await submitAll(2, { concurrency });
	expect(error?.message).toMatch(/Concurrency is not a number of at least 1/);
	expect(sandbox.requests()).toEqual([]);
});

it('an expression that cannot be evaluated fails its own item only', async () => {
	const key = '={{ $json.color === 1 ? (() => { throw new Error("no") })() : "key-" + $json.color }}';
	const run = submitRun(credentialFor(sandbox), colorGraph(0), {
		items: colorItems(3),
		settings: { onError: 'continueRegularOutput' },
		parameters: { options: { idempotencyKeyMode: 'custom', idempotencyKey: key } },
	});
	expect(jsons(await runNode(run)).map((item) => 'error' in item)).toEqual([false, true, false]);
});

it('a failing item starts nothing new, lets running ones finish, cancels no job, and names the jobs that exist', async () => {
	sandbox.inject({ on: 'POST /api/v2/jobs', skip: 3, answer: { status: 402, code: 'insufficient_credits' } });
	const { status, error } = await submitAll(20, { concurrency: 2 });
	expect(status).toBe('error');
	// Which of the two in flight comes to the service as the fourth is open.
	const refused = sandbox.requests('POST /api/v2/jobs').find((request) => request.status === 402);
	const { workflow } = JSON.parse(String(refused?.bodyText)) as { workflow: ReturnType<typeof colorGraph> };
	expect(error?.context.itemIndex).toBe(workflow['1']?.inputs.color);
	expect(sandbox.ledger.runs.length).toBeLessThanOrEqual(4);
	expect(sandbox.ledger.cancels).toEqual([]);
	for (const { jobId } of sandbox.ledger.runs) expect(error?.description).toContain(jobId);
});

it('Continue On Fail goes through all items; the failed one carries error, the others none', async () => {
	sandbox.inject({ on: 'POST /api/v2/jobs', skip: 2, answer: { status: 402, code: 'insufficient_credits', details: null } });
	const items = jsons(await submitAll(5, { concurrency: 1, onError: 'continueRegularOutput' }));
	expect(items.map((item) => 'error' in item)).toEqual([false, false, true, false, false]);
	expect(items[2]).toMatchObject({
		error: expect.stringMatching(/not have enough credits/),
		error_description: expect.stringMatching(/Add credits/),
		error_facts: { code: 'insufficient_credits', http_status: 402, request_id: expect.any(String) },
		idempotency_key: expect.any(String),
	});
});

it('the error output gets the failed items, still paired with their own input', async () => {
	sandbox.inject({ on: 'POST /api/v2/jobs', skip: 1, answer: { status: 402, code: 'insufficient_credits' } });
	const result = await submitAll(3, { concurrency: 1, onError: 'continueErrorOutput' });
	expect(jsons(result)).toHaveLength(2);
	expect(jsons(result, 1)).toMatchObject([{ color: 1, error: expect.stringMatching(/credits/) }]);
	expect(result.outputs[1]?.[0]?.pairedItem).toEqual({ item: 1 });
});

it('unknown fields, statuses and codes of the service reach the item', async () => {
	const times = { created_at: '2026-01-01T00:00:00Z', estimate: { seconds: 9 } };
	const job = { id: 'job-1', status: 'warming_up', outputs: [], urls: {}, gpu: 'H200', error: null, ...times };
	sandbox.inject({ on: 'POST /api/v2/jobs', answer: { status: 201, json: job } });
	const [item] = jsons(await submitAll(1));
	const statuses = { status: 'warming_up', service_status: 'warming_up' };
	expect(item).toMatchObject({ job_id: 'job-1', ...statuses, gpu: 'H200', estimate: { seconds: 9 } });
	expect(item).not.toHaveProperty('error');
	sandbox.inject({ on: 'POST /api/v2/jobs', answer: { status: 418, code: 'teapot', message: 'short and stout' } });
	const [failed] = jsons(await submitAll(1, { onError: 'continueRegularOutput' }));
	expect(failed).toMatchObject({ error: expect.stringContaining('teapot'), error_facts: { code: 'teapot', http_status: 418 } });
});

it.each(surfaces)('a field named error in an asset does not become a top-level error (%s)', async (surface) => {
	const file = { size_bytes: 1, content_type: 'image/png', url: '/x', url_expires_at: null };
	const asset = { id: 'a', hash: null, created_at: null, ...file, error: 'odd' };
	sandbox.inject({ on: 'GET /api/v2/assets/:id', answer: { status: 200, json: asset } });
	const result = await runNode(assetRun(credentialFor(sandbox, surface), 'get', { parameters: { assetId: 'a' } }));
	expect(jsons(result)[0]).toMatchObject({ id: 'a', service_error: 'odd' });
	expect(jsons(result)[0]).not.toHaveProperty('error');
});
