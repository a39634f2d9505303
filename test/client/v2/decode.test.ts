import { connect } from '../../../client';
import { ShapeError } from '../../../client/errors/errors';
import { decodeAsset, decodeJob, decodeOutput, pageDecoder } from '../../../client/v2/decode';
import { serve } from '../support/server';

const asIs = (link: string) => link;

test('fields that the service leaves out become null, empty or zero', () => {
	expect(decodeJob({ id: 'a', status: 'queued' }, asIs)).toEqual({
		job_id: 'a',
		interface: 'v2',
		status: 'queued',
		service_status: 'queued',
		created_at: null,
		started_at: null,
		completed_at: null,
		expires_at: null,
		queue_position: null,
		progress: null,
		outputs: [],
		job_error: null,
		urls: { self: null, events: null, cancel: null },
	});
});

test('unknown fields and both outputs of one name are kept, and no top-level error or id stays', () => {
	const job = decodeJob(
		{
			id: 'a',
			status: 'failed',
			metrics: { queue_ms: 3 },
			outputs: [
				{ id: 'o', name: 'x.splat', type: 'splat', content_type: 'model/x', url: '/x', size_bytes: 1, hash: null, depth: 2 },
				{ id: 'p', name: 'x.splat', node_id: '7', url: '/y' },
			],
			progress: { value: 0.5, nodes_done: 1, nodes_total: 2, eta_ms: 9 },
			error: { code: 'brand_new', message: 'm', hint: 'h' },
			urls: { self: '/s', share: '/share' },
		},
		asIs,
	);
	expect(job).toMatchObject({
		metrics: { queue_ms: 3 },
		outputs: [
			{ id: 'o', type: 'splat', depth: 2, node_id: '', url: '/x' },
			{ id: 'p', name: 'x.splat', node_id: '7', url: '/y' },
		],
		progress: { eta_ms: 9 },
		job_error: { code: 'brand_new', hint: 'h', node_id: null, traceback: null },
		urls: { share: '/share' },
	});
	expect(job).not.toHaveProperty('error');
	expect(job).not.toHaveProperty('id');
});

test('an asset keeps unknown fields, and needs an id', () => {
	expect(decodeAsset({ id: 'asset_x.y', colour_space: 'srgb' }, asIs)).toMatchObject({
		id: 'asset_x.y',
		hash: null,
		url: null,
		colour_space: 'srgb',
	});
	expect(() => decodeAsset({ hash: 'blake3:00' }, asIs)).toThrow(ShapeError);
});

test('a page lists its jobs, takes an absent list as empty, and refuses anything else', () => {
	const page = pageDecoder(100)({ jobs: [{ id: 'a', status: 'queued' }], next_cursor: 'c' }, asIs);
	expect(page).toMatchObject({ jobs: [{ job_id: 'a' }], nextCursor: 'c' });
	for (const empty of [{}, { jobs: null }, { jobs: [], next_cursor: '' }]) expect(pageDecoder(100)(empty, asIs)).toEqual({ jobs: [] });
	expect(() => pageDecoder(100)({ jobs: {} }, asIs)).toThrow(ShapeError);
});

test.each([
	['full', { jobs: [{ id: 'a', status: 'queued' }], truncated: false }, true],
	['not full', { jobs: [], truncated: false }, undefined],
	['cut short of its limit', { jobs: [], truncated: true }, true],
	['of a service with pages, on its last one', { jobs: [{ id: 'a', status: 'queued' }] }, undefined],
])('the list is marked as truncated or not when it is %s', (_, answer, isTruncated) => {
	expect(pageDecoder(1)(answer, asIs).isTruncated).toBe(isTruncated);
});

test('a listed job has its creation time under either name', () => {
	const moment = '2026-11-20T10:00:00Z';
	for (const name of ['created_at', 'create_time'])
		expect(decodeJob({ id: 'a', status: 'queued', [name]: moment }, asIs).created_at).toBe(moment);
});

describe('the reference of an output', () => {
	const referenceOf = (id: unknown, hash: string | null = null) =>
		decodeOutput({ id, hash, name: 'cat_00001_.png' }, (link) => link).reference;
	const signed = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString('base64url');

	it('an output of the service is referenced as an asset', () => {
		const id = '2f1c7a36-4a0e-4a55-9a3d-9d6f0a1b2c3d';
		expect(referenceOf(id, 'blake3:00')).toEqual({ __type: 'core/ASSET', info: { id, hash: 'blake3:00' } });
		expect(referenceOf(id)).toEqual({ __type: 'core/ASSET', info: { id } });
		expect(referenceOf('')).toBeNull();
	});

	/** Ids as the real proxy 0.1.6 makes them, and as others of its versions do. */
	it.each<[string, string]>([
		[`${signed({ j: '1', f: 'cat_00001_.png', s: '', t: 'output' })}.c2lnbmF0dXJl`, 'cat_00001_.png [output]'],
		[`asset_${signed({ j: '1', f: 'große Katze.png', s: 'pets/cats', t: 'output' })}.c2ln`, 'pets/cats/große Katze.png [output]'],
		[`asset_${signed({ f: 'cat.png', s: '', t: 'temp' })}`, 'cat.png [temp]'],
	])('an output of the self-hosted proxy is referenced as a file of its engine: %s', (id, reference) => {
		expect(referenceOf(id)).toBe(reference);
	});

	it.each([`${signed({ j: '1', o: '2' })}.c2ln`, `${signed(['a', 'list'])}.c2ln`, 'asset_bm90IGpzb24.c2ln', 'ey_not_json_at_all', 'ab'])(
		'an id without a file is referenced as an asset: %s',
		(id) => {
			expect(referenceOf(id)).toMatchObject({ __type: 'core/ASSET', info: { id } });
		},
	);
});

/** Every event that contract/v2.yaml names, one that is no object, and one that is new. */
test.each<[name: string, data: string, event: object]>([
	[
		'status',
		'{"status":"running","queue_position":2}',
		{ kind: 'status', status: 'running', service_status: 'running', queue_position: 2 },
	],
	['progress', '{"value":0.5,"nodes_done":1,"nodes_total":2}', { kind: 'progress', progress: { value: 0.5, nodes_done: 1 } }],
	[
		'preview',
		'{"node_id":"3","data_base64":"/9g="}',
		{ kind: 'preview', node_id: '3', content_type: 'image/png', data: Buffer.from([255, 216]) },
	],
	['output', '{"id":"o","node_id":"4","name":"a.png","url":"/a"}', { kind: 'output', output: { node_id: '4', name: 'a.png' } }],
	['log', '{"level":"warn","message":"slow"}', { kind: 'log', level: 'warn', message: 'slow' }],
	['log', '{}', { kind: 'log', level: 'info', message: '' }],
	['error', '{"trouble":1}', { kind: 'other', name: 'error', data: { trouble: 1 } }],
	[
		'error',
		'{"error":{"code":"upstream_unreachable","message":"No"}}',
		{ name: 'ApiError', interface: 'v2', code: 'upstream_unreachable', message: 'No' },
	],
	['status', 'no JSON', { kind: 'other', name: 'status', data: 'no JSON' }],
	['of_tomorrow', '{"a":1}', { kind: 'other', name: 'of_tomorrow', data: { a: 1 } }],
])('an event %s with %s is understood', async (name, data, event) => {
	const server = await serve((_request, response) => {
		response
			.writeHead(200, { 'content-type': 'text/event-stream' })
			.end(`event: ${name}\ndata: ${data}\n\nevent: status\ndata: {"status":"succeeded"}\n\n`);
	});
	const { jobs, close } = connect({ interface: 'v2', baseUrl: server.origin });
	const events: unknown[] = [];
	const read = async () => {
		for await (const one of jobs.events(decodeJob({ id: 'a', status: 'running' }, asIs))) events.push(one);
	};
	await read().catch((error: unknown) => events.push(error));
	await Promise.all([close(), server.close()]);
	expect(events).toMatchObject([event, ...('code' in event ? [] : [{ kind: 'status', status: 'succeeded' }])]);
});
