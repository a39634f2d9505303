/** Messages as they stand on the wire, written out by hand. */
export const text = (type: string, data: unknown): string => JSON.stringify({ type, data });

export const uint32 = (...values: number[]): Buffer => {
	const bytes = Buffer.alloc(values.length * 4);
	values.forEach((value, at) => bytes.writeUInt32BE(value, at * 4));
	return bytes;
};

export const measured = (value: string): Buffer => Buffer.concat([uint32(Buffer.byteLength(value)), Buffer.from(value)]);

export const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
export const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);

export const previewFrame = (imageType: number, image: Buffer): Buffer => Buffer.concat([uint32(1, imageType), image]);
export const progressTextFrame = (nodeId: string, words: string): Buffer =>
	Buffer.concat([uint32(3), measured(nodeId), Buffer.from(words)]);
export const namedPreviewFrame = (metadata: unknown, image: Buffer): Buffer =>
	Buffer.concat([uint32(4), measured(JSON.stringify(metadata)), image]);

const image = (filename: string) => ({ filename, subfolder: '', type: 'output' });
const nodeState = (jobId: string, nodeId: string, value: number, max: number, state: string) => ({
	value,
	max,
	state,
	node_id: nodeId,
	prompt_id: jobId,
	display_node_id: nodeId,
	parent_node_id: null,
	real_node_id: nodeId,
});

/** One message of each kind, as a service sends them in the course of a job of three nodes. */
export const jobFrames = (jobId: string): Array<string | Buffer> => [
	text('status', { status: { exec_info: { queue_remaining: 1 } }, sid: 'session' }),
	text('notification', { value: 'Your workflow is starting', prompt_id: jobId }),
	text('execution_start', { prompt_id: jobId, timestamp: 1_700_000_000_000 }),
	text('execution_cached', { prompt_id: jobId, nodes: ['1'], timestamp: 1_700_000_000_001 }),
	text('executing', { prompt_id: jobId, node: '2', display_node: '2' }),
	text('progress_state', { prompt_id: jobId, nodes: { '2': nodeState(jobId, '2', 1, 4, 'running') } }),
	text('progress', { prompt_id: jobId, node: '2', value: 2, max: 4 }),
	previewFrame(1, JPEG),
	progressTextFrame('2', 'half way'),
	namedPreviewFrame(
		{ node_id: '2', display_node_id: '2', real_node_id: '2', prompt_id: jobId, parent_node_id: null, image_type: 'image/png' },
		PNG,
	),
	text('executing', { prompt_id: jobId, node: '3', display_node: '3' }),
	text('executed', { prompt_id: jobId, node: '3', display_node: '3', output: { images: [image('a.png')], text: ['a cat'] } }),
	text('execution_success', { prompt_id: jobId, timestamp: 1_700_000_000_002 }),
	text('executing', { prompt_id: jobId, node: null }),
];

/** How jobs end that do not succeed. */
export const badEnds = (jobId: string): string[] => [
	text('execution_error', {
		prompt_id: jobId,
		node_id: '2',
		node_type: 'KSampler',
		exception_type: 'OOMError',
		exception_message: 'Out of memory',
		traceback: ['File "a.py", line 1\n', 'File "b.py", line 2\n'],
		executed: ['1'],
	}),
	text('execution_interrupted', { prompt_id: jobId, node_id: '2', node_type: 'KSampler', executed: [] }),
];
