/**
 * What a ComfyUI 0.3.75 answered and sent on 2026-11-21, started with `--cpu` and without any model. Ids and times are
 * left out, and of an input's faults the copy of its definition.
 */

export const anything: unknown = expect.anything();

/** Status, Content-Type (null for none), and what the body says. */
type Answer = [status: number, contentType: string | null, body: unknown];

export interface Recorded {
	name?: string;
	/** Method and path. */
	on: string;
	/** A text goes as it is, anything else as JSON. */
	send?: unknown;
	/** Fields of a form; `image` is the name of a file. */
	form?: Record<string, string>;
	answer: Answer;
}

/** Sends a recorded request. @returns the answer in the form of the recording, and the raw answer. */
export async function ask(engine: string, { on, send, form }: Recorded) {
	const [method, path] = on.split(' ') as [string, string];
	const sent = form === undefined ? (typeof send === 'string' || send === undefined ? send : JSON.stringify(send)) : formOf(form);
	const response = await fetch(engine + path, { method, ...(sent !== undefined && { body: sent }) });
	const { status, headers } = response;
	const body = Buffer.from(await response.arrayBuffer());
	const contentType = headers.get('content-type');
	const told = contentType?.startsWith('application/json') ? withoutDefinitions(JSON.parse(String(body))) : String(body);
	const answer: Answer = [status, body.length === 0 && status !== 404 ? null : contentType, told];
	return { answer, status, headers, body };
}

function formOf({ image, ...fields }: Record<string, string>): FormData {
	const form = new FormData();
	if (image !== undefined) form.append('image', new Blob(['the bytes of a picture']), image);
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	return form;
}

/** Which input is at fault is enough; what else is said of it repeats the prompt and `/object_info`. */
const withoutDefinitions = (answer: unknown): unknown =>
	JSON.parse(JSON.stringify(answer), (key, value: unknown) =>
		key === 'extra_info' && typeof value === 'object' && value !== null && 'input_name' in value ? { input_name: value.input_name } : value,
	);

const empty = (width: unknown, color = 0) => ({ class_type: 'EmptyImage', inputs: { width, height: 16, batch_size: 1, color } });
const save = (from: unknown) => ({ class_type: 'SaveImage', inputs: { images: from, filename_prefix: 'x' } });
const prompt = (graph: unknown) => ({ prompt: graph });

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
const NO_FILE: Recorded['answer'] = [404, 'application/octet-stream', ''];
const NO_METHOD: Recorded['answer'] = [405, TEXT, '405: Method Not Allowed'];
const TROUBLE: Recorded['answer'] = [500, TEXT, '500 Internal Server Error\n\nServer got itself in trouble'];

const refused = (type: string, message: string, details = '', node_errors: object = {}): Recorded['answer'] => [
	400,
	JSON_TYPE,
	{ error: { type, message, details, extra_info: {} }, node_errors },
];
const accepted = (node_errors: object = {}): Recorded['answer'] => [200, JSON_TYPE, { prompt_id: anything, number: anything, node_errors }];
const fault = (type: string, message: string, details: string, input_name: string) => ({
	type,
	message,
	details,
	extra_info: { input_name },
});
const nodeError = (class_type: string, dependent: string, ...errors: object[]) => ({ errors, dependent_outputs: [dependent], class_type });
const INVALID = ['prompt_outputs_failed_validation', 'Prompt outputs failed validation', ''] as const;
const TOO_SMALL = fault('value_smaller_than_min', 'Value -5 smaller than min of 1', 'width', 'width');

export const recorded: Recorded[] = [
	{ on: 'GET /features', answer: [200, JSON_TYPE, { supports_preview_metadata: true, max_upload_size: 104_857_600 }] },
	{ on: 'GET /prompt', answer: [200, JSON_TYPE, { exec_info: { queue_remaining: anything } }] },
	{ on: 'GET /history/unknown', answer: [200, JSON_TYPE, {}] },
	{ on: 'GET /history?max_items=x', answer: TROUBLE },
	{ on: 'GET /experiment/models/vae', answer: [200, JSON_TYPE, []] },
	// These rows were recorded with ComfyUI 0.3.64 on 2026-11-24.
	{ on: 'GET /models/unknown', answer: [404, null, ''] },
	{ on: 'GET /experiment/models/unknown', answer: [404, null, ''] },
	{ on: 'GET /experiment/unknown', answer: NO_FILE },
	{ on: 'GET /internal/logs/raw', answer: [200, JSON_TYPE, { entries: anything, size: anything }] },
	{ on: 'GET /internal/unknown', answer: NO_FILE },
	{ on: 'GET /embeddings', answer: [200, JSON_TYPE, []] },
	{ on: 'POST /free', send: { unload_models: true, free_memory: true }, answer: [200, null, ''] },
	{ name: 'no object', on: 'POST /free', send: [], answer: TROUBLE },
	{ on: 'GET /free', answer: NO_FILE },
	{ name: 'all finished jobs', on: 'POST /history', send: { clear: true }, answer: [200, null, ''] },
	{ on: 'GET /object_info/Unknown', answer: [200, JSON_TYPE, {}] },
	// Routes that are not there, among them those of newer engines and of the proxy.
	{ on: 'GET /nowhere', answer: NO_FILE },
	{ on: 'GET /api/jobs', answer: NO_FILE },
	{ on: 'GET /api/internal/logs/raw', answer: NO_FILE },
	{ on: 'GET /api/v2/jobs', answer: NO_FILE },
	{ on: 'POST /api/jobs/unknown/cancel', answer: NO_METHOD },
	{ on: 'POST /api/v2/jobs', answer: NO_METHOD },
	{ on: 'PUT /prompt', answer: NO_METHOD },

	{ name: 'a prompt', on: 'POST /prompt', send: prompt({ 1: empty(16), 2: save(['1', 0]) }), answer: accepted() },
	{ name: 'a number as text', on: 'POST /prompt', send: prompt({ 1: empty('16'), 2: save(['1', 0]) }), answer: accepted() },
	{ name: 'no prompt', on: 'POST /prompt', send: {}, answer: refused('no_prompt', 'No prompt provided', 'No prompt provided') },
	{ name: 'a prompt that is null', on: 'POST /prompt', send: prompt(null), answer: TROUBLE },
	{ name: 'no JSON', on: 'POST /prompt', send: 'a=b', answer: TROUBLE },
	{
		name: 'a number that is none',
		on: 'POST /prompt',
		send: { ...prompt({ 1: empty(16), 2: save(['1', 0]) }), number: 'x' },
		answer: TROUBLE,
	},
	{ name: 'an empty prompt', on: 'POST /prompt', send: prompt({}), answer: refused('prompt_no_outputs', 'Prompt has no outputs') },
	{
		name: 'no output node',
		on: 'POST /prompt',
		send: prompt({ 1: empty(16) }),
		answer: refused('prompt_no_outputs', 'Prompt has no outputs'),
	},
	{
		name: 'none of the output nodes wanted',
		on: 'POST /prompt',
		send: { ...prompt({ 1: empty(16), 2: save(['1', 0]) }), partial_execution_targets: [] },
		answer: refused('prompt_no_outputs', 'Prompt has no outputs'),
	},
	{
		name: 'a node without class',
		on: 'POST /prompt',
		send: prompt({ 1: { inputs: {} } }),
		answer: refused('invalid_prompt', 'Cannot execute because a node is missing the class_type property.', "Node ID '#1'"),
	},
	{
		name: 'an unknown class',
		on: 'POST /prompt',
		send: prompt({ 1: { class_type: 'Unknown', inputs: {}, _meta: { title: 'Mine' } }, 2: save(['1', 0]) }),
		answer: refused('invalid_prompt', 'Cannot execute because node Unknown does not exist.', "Node ID '#1'"),
	},
	{
		name: 'a value that is too small',
		on: 'POST /prompt',
		send: prompt({ 1: empty(-5), 2: save(['1', 0]) }),
		answer: refused(...INVALID, { 1: nodeError('EmptyImage', '2', TOO_SMALL) }),
	},
	{
		name: 'a value that is too big',
		on: 'POST /prompt',
		send: prompt({ 1: empty(999_999), 2: save(['1', 0]) }),
		answer: refused(...INVALID, {
			1: nodeError('EmptyImage', '2', fault('value_bigger_than_max', 'Value 999999 bigger than max of 16384', 'width', 'width')),
		}),
	},
	{
		name: 'an input that is missing',
		on: 'POST /prompt',
		send: prompt({ 1: { class_type: 'EmptyImage', inputs: { height: 16, batch_size: 1, color: 0 } }, 2: save(['1', 0]) }),
		answer: refused(...INVALID, {
			1: nodeError('EmptyImage', '2', fault('required_input_missing', 'Required input is missing', 'width', 'width')),
		}),
	},
	{
		name: 'a file that is missing',
		on: 'POST /prompt',
		send: prompt({ 1: { class_type: 'LoadImage', inputs: { image: 'none.png' } }, 2: save(['1', 0]) }),
		answer: refused(...INVALID, {
			1: nodeError(
				'LoadImage',
				'2',
				fault('custom_validation_failed', 'Custom validation failed for node', 'image - Invalid image file: none.png', 'image'),
			),
		}),
	},
	{
		name: 'a link of three parts',
		on: 'POST /prompt',
		send: prompt({ 1: empty(16), 2: save(['1', 0, 1]) }),
		answer: refused(INVALID[0], INVALID[1], 'Bad linked input, must be a length-2 list of [node_id, slot_index]: images', {
			2: nodeError(
				'SaveImage',
				'2',
				fault('bad_linked_input', 'Bad linked input, must be a length-2 list of [node_id, slot_index]', 'images', 'images'),
			),
		}),
	},
	{
		name: 'a half of which is wrong',
		on: 'POST /prompt',
		send: prompt({ 1: empty(16, 77), 2: save(['1', 0]), 3: empty(-5), 4: save(['3', 0]) }),
		answer: accepted({ 3: nodeError('EmptyImage', '4', TOO_SMALL) }),
	},

	{ name: 'an interrupt of nothing', on: 'POST /interrupt', send: { prompt_id: 'unknown' }, answer: [200, null, ''] },
	{ name: 'an interrupt without words', on: 'POST /interrupt', answer: [200, null, ''] },
	{ name: 'a deletion of nothing', on: 'POST /queue', send: { delete: ['unknown'] }, answer: [200, null, ''] },
	{ name: 'no JSON', on: 'POST /queue', send: '{', answer: TROUBLE },
	{ name: 'a deletion of nothing', on: 'POST /history', send: { delete: ['unknown'] }, answer: [200, null, ''] },

	{ name: 'no file', on: 'POST /upload/image', form: {}, answer: [400, null, ''] },
	{ name: 'a folder that is none', on: 'POST /upload/image', form: { image: 'a.png', type: 'nope' }, answer: TROUBLE },
	{ name: 'a way out of the folder', on: 'POST /upload/image', form: { image: 'a.png', subfolder: '../..' }, answer: [400, null, ''] },
	{
		name: 'a file',
		on: 'POST /upload/image',
		form: { image: 'a.png' },
		answer: [200, JSON_TYPE, { name: 'a.png', subfolder: '', type: 'input' }],
	},
	{
		name: 'a file in a folder',
		on: 'POST /upload/image',
		form: { image: 'a.png', subfolder: 'b/c', type: 'temp' },
		answer: [200, JSON_TYPE, { name: 'a.png', subfolder: 'b/c', type: 'temp' }],
	},
	{ name: 'no original', on: 'POST /upload/mask', form: { image: 'm.png' }, answer: TROUBLE },
	{
		name: 'an original that is missing',
		on: 'POST /upload/mask',
		form: { image: 'm.png', original_ref: '{"filename":"none.png"}' },
		answer: [200, JSON_TYPE, { name: 'm.png', subfolder: '', type: 'input' }],
	},

	{ on: 'GET /view', answer: [404, null, ''] },
	{ on: 'GET /view?filename=none.png', answer: [404, null, ''] },
	{ on: 'GET /view?filename=a.png&type=nope', answer: [400, null, ''] },
	{ on: 'GET /view?filename=../a.png', answer: [400, null, ''] },
	{ on: 'GET /view?filename=a.png&subfolder=../..', answer: [403, null, ''] },
];

/** Of one run of two nodes that nothing is remembered of, to the client that submitted it. */
export const recordedFrames: unknown[] = [
	{ type: 'status', data: { status: { exec_info: { queue_remaining: 0 } }, sid: 'listener' } },
	{ type: 'status', data: { status: { exec_info: { queue_remaining: 1 } } } },
	{ type: 'execution_start', data: { prompt_id: anything, timestamp: anything } },
	{ type: 'execution_cached', data: { nodes: [], prompt_id: anything, timestamp: anything } },
	{ type: 'progress_state', data: { prompt_id: anything, nodes: { 1: progress('1', 0, 'running') } } },
	{ type: 'executing', data: { node: '1', display_node: '1', prompt_id: anything } },
	{ type: 'progress_state', data: { prompt_id: anything, nodes: { 1: progress('1', 1, 'finished') } } },
	{ type: 'progress_state', data: { prompt_id: anything, nodes: { 1: progress('1', 1, 'finished'), 2: progress('2', 0, 'running') } } },
	{ type: 'executing', data: { node: '2', display_node: '2', prompt_id: anything } },
	{
		type: 'executed',
		data: {
			node: '2',
			display_node: '2',
			output: { images: [{ filename: 'x_00001_.png', subfolder: 'probe', type: 'output' }] },
			prompt_id: anything,
		},
	},
	{ type: 'progress_state', data: { prompt_id: anything, nodes: { 1: progress('1', 1, 'finished'), 2: progress('2', 1, 'finished') } } },
	{ type: 'execution_success', data: { prompt_id: anything, timestamp: anything } },
	{ type: 'status', data: { status: { exec_info: { queue_remaining: 0 } } } },
	{ type: 'executing', data: { node: null, prompt_id: anything } },
];

function progress(node_id: string, value: number, state: string): object {
	return { value, max: 1, state, node_id, prompt_id: anything, display_node_id: node_id, parent_node_id: null, real_node_id: node_id };
}

/** What its history then held. `number` counts the prompts since the start. */
export const recordedEntry = (prompt: object) => ({
	prompt: [anything, anything, prompt, expect.objectContaining({ client_id: 'listener' }), ['2']],
	outputs: { 2: { images: [{ filename: 'x_00001_.png', subfolder: 'probe', type: 'output' }] } },
	status: {
		status_str: 'success',
		completed: true,
		messages: [
			['execution_start', { prompt_id: anything, timestamp: anything }],
			['execution_cached', { nodes: [], prompt_id: anything, timestamp: anything }],
			['execution_success', { prompt_id: anything, timestamp: anything }],
		],
	},
	meta: { 2: { node_id: '2', display_node: '2', parent_node: null, real_node_id: '2' } },
});
