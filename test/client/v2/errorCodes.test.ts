import { ApiError, assetRecords, contentHash, type Connection } from '../../../client';
import { chunksOf, failureOf } from '../support/bytes';
import { quickGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { runFaster } from '../../support/fastClock';

runFaster(5);
const harness = useSandbox();

const SUBMIT = 'POST /api/v2/jobs';
const READ = 'GET /api/v2/jobs/:id';
const UPLOAD = 'POST /api/v2/assets';
const FROM_HASH = 'POST /api/v2/assets/from-hash';

/** The specification's table of v2 codes, then those that only the public documentation names. */
const TABLE: Array<[code: string, status: number, on: string]> = [
	['invalid_workflow', 422, SUBMIT],
	['workflow_format_ui', 422, SUBMIT],
	['missing_asset', 422, SUBMIT],
	['hash_mismatch', 409, UPLOAD],
	['blob_not_found', 404, FROM_HASH],
	['idempotency_key_reuse', 422, SUBMIT],
	['queue_full', 429, SUBMIT],
	['insufficient_credits', 402, SUBMIT],
	['not_found', 404, READ],
	['unauthorized', 401, READ],
	['forbidden', 403, READ],
	['deployment_not_ready', 429, SUBMIT],
	['deployment_stopped', 422, SUBMIT],
	['rate_limited', 429, READ],
	['upstream_error', 500, READ],
	['asset_in_use', 409, 'DELETE /api/v2/assets/:id'],
	['asset_not_found', 404, 'GET /api/v2/assets/:id'],
	['job_not_found', 404, READ],
	['upstream_unreachable', 503, READ],
	['a_code_of_tomorrow', 400, READ],
];

const DETAILS: Array<[name: string, details: unknown]> = [
	['absent', undefined],
	['null', null],
	['per-node lists', { node_errors: { '3': [{ field: 'image', reason: 'is required' }], '4': [{ field: 'seed', reason: 'too large' }] } }],
	[
		"the engine's shape",
		{
			node_errors: {
				'3': {
					class_type: 'LoadImage',
					dependent_outputs: ['9'],
					errors: [{ type: 'value_not_in_list', message: 'Value not in list', details: 'image', extra_info: { input_name: 'image' } }],
				},
			},
		},
	],
];

async function call(connection: Connection, on: string): Promise<unknown> {
	const { jobs, assets } = connection;
	switch (on) {
		case SUBMIT:
			return await jobs.submit({ graph: quickGraph() }, { idempotencyKey: crypto.randomUUID(), retryBudgetMs: 0 });
		case UPLOAD:
			return await assets.upload({ open: () => chunksOf('x'), contentType: 'text/plain' }, { filePath: 'x.txt' });
		case FROM_HASH:
			return await assetRecords(connection).fromHash('blake3:00');
		case 'DELETE /api/v2/assets/:id':
			return await assetRecords(connection).delete('a');
		case 'GET /api/v2/assets/:id':
			return await assetRecords(connection).get('a');
		default:
			return await jobs.get('a');
	}
}

describe.each(TABLE)('%s (%d)', (code, status, on) => {
	test.each(DETAILS)('details %s', async (_name, details) => {
		const retryAfter = status === 429 ? 7 : undefined;
		harness.sandbox.inject({ on, times: Infinity, answer: { status, code, message: 'In the words of the service', details, retryAfter } });
		const error = await failureOf(call(harness.connect('hosted', { readBudgetMs: 0 }), on));
		expect(error).toBeInstanceOf(ApiError);
		expect(error).toMatchObject({ interface: 'v2', code, status, message: 'In the words of the service' });
		expect((error as ApiError).details).toEqual(details);
		expect((error as ApiError).retryAfterMs).toBe(retryAfter && 7_000);
		expect((error as ApiError).requestId).toBe(harness.sandbox.requests(on)[0]?.requestId);
	});
});

describe('refusals the service makes itself', () => {
	test('a wrong key', async () => {
		await expect(harness.connect('hosted', { token: 'wrong' }).jobs.get('a')).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
	});

	test('no credits, then a stopped deployment', async () => {
		harness.sandbox.setCredits('main', 0);
		await expect(harness.connect('hosted').jobs.submit({ graph: quickGraph() })).rejects.toMatchObject({ code: 'insufficient_credits' });
		harness.sandbox.setCredits('main', Infinity);
		harness.sandbox.setDeploymentState('stopped');
		await expect(harness.connect('deployment').jobs.submit({ graph: quickGraph() })).rejects.toMatchObject({
			code: 'deployment_stopped',
			status: 422,
		});
		harness.sandbox.setDeploymentState('ready');
	});

	test.each([
		['hosted', { details: { node_errors: { '7': expect.anything() } } }],
		// The proxy passes on its engine's sentence alone.
		['self_hosted', { details: { node_errors: {} }, message: expect.stringContaining('NoSuchNode') }],
	] as const)('an unknown class on %s', async (surface, words) => {
		const graph = { '7': { class_type: 'NoSuchNode', inputs: {} } };
		const error = await failureOf(harness.connect(surface).jobs.submit({ graph }));
		expect(error).toMatchObject({ code: 'invalid_workflow', ...words });
	});

	test('bytes that are not the announced ones', async () => {
		harness.sandbox.inject({ on: 'HEAD /api/v2/assets/by-hash/:hash', answer: { status: 404 } });
		let reads = 0;
		const source = { open: () => chunksOf(reads++ === 0 ? 'before' : 'after!'), contentType: 'text/plain' };
		const failure = await failureOf(harness.connect().assets.upload(source, { filePath: 'x.txt', skipIfStored: true }));
		expect(failure).toMatchObject({ code: 'hash_mismatch', status: 409 });
	});

	test('bytes the service does not have', async () => {
		const hash = await contentHash(chunksOf('nobody has these'));
		await expect(assetRecords(harness.connect()).fromHash(hash)).rejects.toMatchObject({ code: 'blob_not_found', status: 404 });
	});
});

test('a status and HTML are kept when a page comes instead of an answer', async () => {
	harness.sandbox.inject({ on: READ, answer: { status: 502, html: true } });
	const error = await failureOf(harness.connect('hosted', { readBudgetMs: 0 }).jobs.get('a'));
	expect(error).toMatchObject({ facts: { reason: 'html', status: 502, requestId: harness.sandbox.requests(READ)[0]?.requestId } });
});

test('a read is repeated through trouble, within its budget', async () => {
	const { jobs } = harness.connect();
	harness.sandbox.inject({ on: READ, answer: { status: 429, code: 'rate_limited', retryAfter: 1 } });
	harness.sandbox.inject({ on: READ, fault: { kind: 'drop_before' } });
	harness.sandbox.inject({ on: READ, answer: { status: 500, badJson: true } });
	await expect(jobs.get(harness.sandbox.seeds.pinnedJob)).resolves.toMatchObject({ status: 'succeeded' });
	expect(harness.sandbox.requests(READ)).toHaveLength(4);
});
