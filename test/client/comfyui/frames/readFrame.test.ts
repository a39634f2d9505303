import { readFrame } from '../../../../client/comfyui/frames/readFrame';
import { TrackedJobs } from '../../../../client/comfyui/progress/trackedJobs';
import { Chance } from '../../support/chance';
import {
	badEnds,
	jobFrames,
	text,
	JPEG,
	measured,
	namedPreviewFrame,
	PNG,
	previewFrame,
	progressTextFrame,
	uint32,
} from '../../support/frames';
import { decodeImages } from '../../support/outputs';

const frameOf = (type: string, data: unknown) => readFrame(text(type, data)).frame;

const FEWER_WORDS = { code: 'unknown', message: '', node_id: null, class_type: null, traceback: 'one text' };

test.each<[type: string, data: object, frame: object]>([
	['status', { status: { exec_info: { queue_remaining: 3 } }, sid: 's' }, { kind: 'status', queueRemaining: 3, sid: 's' }],
	['notification', { value: 'Hello', prompt_id: 'j' }, { kind: 'notification', text: 'Hello', jobId: 'j' }],
	['execution_start', { prompt_id: 'j', timestamp: 1 }, { kind: 'execution_start', jobId: 'j' }],
	['executing', { prompt_id: 'j', node: '3', display_node: '3' }, { kind: 'executing', jobId: 'j', nodeId: '3' }],
	['progress', { prompt_id: 'j', node: '3', value: 4, max: 20 }, { kind: 'progress', jobId: 'j', nodeId: '3', value: 4, max: 20 }],
	[
		'progress_state',
		{ prompt_id: 'j', nodes: { '3': { value: 1, max: 2, state: 'running' }, '5.0.0.7': { value: 0, max: 1, state: 'pending' } } },
		{
			kind: 'progress_state',
			jobId: 'j',
			nodes: [
				{ nodeId: '3', value: 1, max: 2, state: 'running' },
				{ nodeId: '5.0.0.7', value: 0, max: 1, state: 'pending' },
			],
		},
	],
	[
		'executed',
		{ prompt_id: 'j', node: '9', output: { images: [{ filename: 'a.png' }], text: ['a cat'] } },
		{
			kind: 'executed',
			jobId: 'j',
			nodeId: '9',
			output: { images: [{ filename: 'a.png' }], text: ['a cat'] },
			length: expect.any(Number) as number,
		},
	],
	['execution_cached', { prompt_id: 'j', nodes: ['1', '2'] }, { kind: 'execution_cached', jobId: 'j', nodeIds: ['1', '2'] }],
	['execution_success', { prompt_id: 'j' }, { kind: 'execution_success', jobId: 'j' }],
	[
		'execution_error',
		{
			prompt_id: 'j',
			node_id: '3',
			node_type: 'KSampler',
			exception_type: 'OOMError',
			exception_message: 'Out of memory',
			traceback: ['one\n', 'two'],
		},
		{
			kind: 'execution_error',
			jobId: 'j',
			job_error: { code: 'OOMError', message: 'Out of memory', node_id: '3', class_type: 'KSampler', traceback: 'one\ntwo' },
		},
	],
	['execution_interrupted', { prompt_id: 'j', node_id: '3' }, { kind: 'execution_interrupted', jobId: 'j' }],
	// The execution has finished.
	['executing', { prompt_id: 'j', node: null }, { kind: 'executing', jobId: 'j', nodeId: null }],
	// Ids that are numbers, as some services send them.
	['executing', { prompt_id: 7, node: 3 }, { kind: 'executing', jobId: '7', nodeId: '3' }],
	['execution_cached', { prompt_id: 7, nodes: [1, '2', null, {}] }, { kind: 'execution_cached', jobId: '7', nodeIds: ['1', '2'] }],
	// Older engines leave out the job.
	['executing', { node: '3' }, { kind: 'executing', jobId: null, nodeId: '3' }],
	['progress', { prompt_id: 'j', node: '3', value: -4, max: -1 }, { kind: 'progress', jobId: 'j', nodeId: '3', value: 0, max: 0 }],
	['progress', { value: 1, max: 2 }, { kind: 'progress', jobId: null, nodeId: null, value: 1, max: 2 }],
	['status', {}, { kind: 'status', queueRemaining: null, sid: null }],
	['status', { status: { exec_info: { queue_remaining: -1 } } }, { kind: 'status', queueRemaining: 0, sid: null }],
	['execution_error', { prompt_id: 'j', traceback: 'one text' }, { kind: 'execution_error', jobId: 'j', job_error: FEWER_WORDS }],
	['feature_flags', { a: true }, { kind: 'other', type: 'feature_flags', data: { a: true }, jobId: null }],
	['constructor', { prompt_id: 'j' }, { kind: 'other', type: 'constructor', data: { prompt_id: 'j' }, jobId: 'j' }],
])('the text frame %s with %j is read', (type, data, expected) => {
	expect(frameOf(type, data)).toEqual(expected);
});

test.each([
	['no JSON', '{"type":"exec', 'the text is not JSON'],
	['null', 'null', 'the frame is not an object'],
	['no type', '{}', 'type is missing'],
	['no data', '{"type":"progress"}', 'data of progress is not an object'],
	['no job', '{"type":"execution_start","data":{}}', 'prompt_id is missing'],
	['an endless id', text('execution_start', { prompt_id: 'x'.repeat(1_000) }), 'prompt_id is missing'],
	['no node', '{"type":"executed","data":{"prompt_id":"j","output":{}}}', 'node is missing'],
	['a list for nodes', '{"type":"progress_state","data":{"prompt_id":"j","nodes":[null]}}', 'nodes is not an object'],
	['an abyss', `{"type":"x","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'the JSON has too many nested levels'],
	['an abyss of objects', `{"type":"x","data":${'{"a":'.repeat(101)}1${'}'.repeat(101)}}`, 'the JSON has too many nested levels'],
])('%s is malformed, and says why', (_what, message, reason) => {
	expect(readFrame(message).frame).toEqual({ kind: 'malformed', reason });
});

test('the raw event is the parsed text; of text that is none, its beginning', () => {
	expect(readFrame(text('status', { sid: 's' })).raw).toEqual({ type: 'status', data: { sid: 's' } });
	expect(readFrame('x'.repeat(10_000)).raw).toEqual({ text: 'x'.repeat(200) });
});

test('names that objects have by themselves are node ids like any other', () => {
	const { frame } = readFrame(
		'{"type":"progress_state","data":{"prompt_id":"j","nodes":{"__proto__":{"value":1,"max":2,"state":"running"}}}}',
	);
	expect(frame).toMatchObject({ nodes: [{ nodeId: '__proto__', value: 1 }] });
});

describe('binary frames', () => {
	const METADATA = { node_id: '12:3', display_node_id: '12', real_node_id: '12:3', prompt_id: 'j', parent_node_id: null };
	const UNKNOWN_IMAGE = Buffer.from('BM....');

	test.each([
		['JPEG', 1, JPEG, 'image/jpeg'],
		['PNG', 2, PNG, 'image/png'],
		['a PNG that is called a JPEG', 1, PNG, 'image/png'],
		['an unknown image that is called a PNG', 2, UNKNOWN_IMAGE, 'image/png'],
		['an unknown image of an unknown type', 9, UNKNOWN_IMAGE, 'application/octet-stream'],
	])('reads 1 PREVIEW_IMAGE with %s', (_what, type, image, contentType) => {
		const { frame, raw } = readFrame(previewFrame(type, image));
		expect(frame).toEqual({ kind: 'preview', jobId: null, nodeId: null, contentType, data: image });
		expect(raw).toEqual({ type: 1, bytes: 8 + image.byteLength });
	});

	test('reads 3 TEXT', () => {
		const { frame, raw } = readFrame(progressTextFrame('7', 'drei Äpfel'));
		expect(frame).toEqual({ kind: 'progress_text', nodeId: '7', text: 'drei Äpfel' });
		expect(raw).toEqual({ type: 3, bytes: 20, node_id: '7', text: 'drei Äpfel' });
	});

	test('reads 4 PREVIEW_IMAGE_WITH_METADATA', () => {
		const { frame, raw } = readFrame(namedPreviewFrame(METADATA, JPEG));
		expect(frame).toEqual({ kind: 'preview', jobId: 'j', nodeId: '12:3', contentType: 'image/jpeg', data: JPEG });
		expect(raw).toEqual({ type: 4, bytes: expect.any(Number) as number, metadata: METADATA });
	});

	test.each([
		['image/bmp', 'image/bmp'],
		['text/html', 'application/octet-stream'],
		[7, 'application/octet-stream'],
	])('reads 4 PREVIEW_IMAGE_WITH_METADATA with an unknown image, declared as %j', (declared, contentType) => {
		expect(readFrame(namedPreviewFrame({ ...METADATA, image_type: declared }, UNKNOWN_IMAGE)).frame).toMatchObject({ contentType });
	});

	test.each([
		['nothing', Buffer.alloc(0), 'the frame is too short'],
		['an unknown type', uint32(99, 1), 'binary type 99 is unknown'],
		['text without a length', uint32(3), 'the frame is too short'],
		['text whose length points beyond the end', Buffer.concat([uint32(3, 200), Buffer.from('A')]), 'a length is beyond the end'],
		[
			'metadata whose length points far beyond the end',
			Buffer.concat([uint32(4, 0xffffffff), Buffer.from('{}')]),
			'a length is beyond the end',
		],
		['metadata that is no JSON', Buffer.concat([uint32(4), measured('{"a'), JPEG]), 'the text is not JSON'],
		['metadata that is a list', namedPreviewFrame([1], JPEG), 'the metadata is not an object'],
		['metadata without an image', namedPreviewFrame(METADATA, Buffer.alloc(0)), 'the preview is empty'],
	])('%s is malformed, and says why', (_what, bytes, reason) => {
		expect(readFrame(bytes)).toEqual({ frame: { kind: 'malformed', reason }, raw: { bytes: bytes.byteLength } });
	});
});

describe('damaged frames', () => {
	const messages = [...jobFrames('j'), ...badEnds('j')];

	test('every frame that is cut short anywhere is read or malformed', () => {
		for (const message of messages) {
			for (let length = 0; length < message.length; length++) {
				const { kind } = readFrame(message.slice(0, length)).frame;
				if (typeof message === 'string') expect(kind).toBe('malformed');
				else expect(['malformed', 'preview', 'progress_text']).toContain(kind);
			}
		}
	});

	test('of 20,000 changed frames no job fails, numbers are finite and not negative, and ids are texts', () => {
		const chance = new Chance(7);
		const jobs = new TrackedJobs(decodeImages);
		for (let at = 0; at < 20_000; at++) {
			const message = chance.oneOf(messages);
			const bytes = chance.mutated(Buffer.from(message));
			const { frame } = readFrame(typeof message === 'string' ? bytes.toString('utf8') : bytes);
			if ('jobId' in frame && frame.jobId !== null) expect(frame.jobId).toMatch(/[^]/);
			if (frame.kind === 'progress') expect([frame.value, frame.max].every((value) => Number.isFinite(value) && value >= 0)).toBe(true);
			for (const { event } of jobs.handle(frame)) {
				if (event.kind === 'progress') expect(event.progress.value >= 0 && event.progress.value <= 1).toBe(true);
			}
		}
	});
});
