import { readFrame } from '../../../../client/comfyui/frames';
import { text } from '../../support/frames';

const frameOf = (type: string, data: unknown) => readFrame(text(type, data)).frame;

test.each([
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
])('%s', (type, data, expected) => {
	expect(frameOf(type, data)).toEqual(expected);
});

test.each([[null], ['']])('executing with node %j: the execution has finished', (node) => {
	expect(frameOf('executing', { prompt_id: 'j', node })).toEqual({ kind: 'executing', jobId: 'j', nodeId: null });
});

test('ids that are numbers are taken for their text', () => {
	expect(frameOf('executing', { prompt_id: 7, node: 3 })).toEqual({ kind: 'executing', jobId: '7', nodeId: '3' });
	expect(frameOf('execution_cached', { prompt_id: 7, nodes: [1, '2', null, {}] })).toEqual({
		kind: 'execution_cached',
		jobId: '7',
		nodeIds: ['1', '2'],
	});
});

test('older engines leave the job out of executing and progress', () => {
	expect(frameOf('executing', { node: '3' })).toEqual({ kind: 'executing', jobId: null, nodeId: '3' });
	expect(frameOf('progress', { value: 1, max: 2 })).toEqual({ kind: 'progress', jobId: null, nodeId: null, value: 1, max: 2 });
});

test('numbers are finite, and not negative', () => {
	const data = '{"prompt_id":"j","node":"3","value":-4,"max":1e999}';
	expect(readFrame(`{"type":"progress","data":${data}}`).frame).toMatchObject({ kind: 'progress', value: 0, max: 0 });
	expect(frameOf('status', { status: { exec_info: { queue_remaining: -1 } } })).toMatchObject({ queueRemaining: 0 });
	expect(frameOf('status', {})).toEqual({ kind: 'status', queueRemaining: null, sid: null });
});

test('unknown types pass through, with their job where they name one', () => {
	expect(frameOf('feature_flags', { supports_preview_metadata: true })).toEqual({
		kind: 'other',
		type: 'feature_flags',
		data: { supports_preview_metadata: true },
		jobId: null,
	});
	expect(frameOf('constructor', { prompt_id: 'j' })).toEqual({ kind: 'other', type: 'constructor', data: { prompt_id: 'j' }, jobId: 'j' });
});

test.each([
	['no JSON', '{"type":"exec', 'the text is no JSON'],
	['nothing', '', 'the text is no JSON'],
	['null', 'null', 'the frame is no object'],
	['a list', '[1]', 'the frame is no object'],
	['no type', '{}', 'type is missing'],
	['a number for a type', '{"type":5,"data":{}}', 'type is missing'],
	['no data', '{"type":"progress"}', 'data of progress is no object'],
	['no job', '{"type":"execution_start","data":{}}', 'prompt_id is missing'],
	['an object for a job', '{"type":"execution_success","data":{"prompt_id":{}}}', 'prompt_id is missing'],
	['an endless id', text('execution_start', { prompt_id: 'x'.repeat(1_000) }), 'prompt_id is missing'],
	['no node', '{"type":"executed","data":{"prompt_id":"j","output":{}}}', 'node is missing'],
	['a list for nodes', '{"type":"progress_state","data":{"prompt_id":"j","nodes":[null]}}', 'nodes is no object'],
	['an abyss', `{"type":"x","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'the JSON nests too deep'],
	['an abyss of objects', `{"type":"x","data":${'{"a":'.repeat(101)}1${'}'.repeat(101)}}`, 'the JSON nests too deep'],
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

test('an error in fewer words still has every field', () => {
	expect(frameOf('execution_error', { prompt_id: 'j', traceback: 'one text' })).toEqual({
		kind: 'execution_error',
		jobId: 'j',
		job_error: { code: 'unknown', message: '', node_id: null, class_type: null, traceback: 'one text' },
	});
});
