import type { ApiGraph } from '../../../../client';
import type { FaultRule } from '../../../../sandbox';
import { type NodeResult, runNode } from '../../support/engine';
import { credentialFor, type Way } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { sharedSandbox } from '../../support/sandbox';
import { submitRun } from '../../support/submit';

const sandbox = sharedSandbox();

const PROMPT = 'a "red" fox,\nrunning';
const submit = async (inputValues: string, workflow: unknown = colorGraph(1)) =>
	await runNode(
		submitRun(credentialFor(sandbox), workflow, { parameters: { options: { inputValues } }, items: [{ json: { prompt: PROMPT } }] }),
	);

describe('a prompt with quotes and line breaks', () => {
	it('is reported in Input Values of an expression, and the advised text works', async () => {
		const { error } = await submit('={"2": {"filename_prefix": "{{ $json.prompt }}"}}');
		expect(error?.message).toMatch(/^Input Values is not valid/);
		expect(error?.description).toMatch(/quotes or line breaks in that text/);
		expect(error?.description).not.toMatch(/[<>]/);

		const [, advised = ''] = /: (\{"6": .*\})\.$/m.exec(String(error?.description)) ?? [];
		const { status, outputs } = await submit(`=${advised.replace('"6"', '"2"').replace('"text"', '"filename_prefix"')}`);
		expect(status).toBe('success');
		expect(sandbox.job(String(outputs[0]?.[0]?.json.job_id))?.graph).toMatchObject({ 2: { inputs: { filename_prefix: PROMPT } } });
	});

	it('is reported in Workflow of an expression', async () => {
		const { error } = await submit('{}', `=${JSON.stringify(colorGraph(2)).replace('"color"', '"{{ $json.prompt }}"')}`);
		expect(error?.message).toMatch(/^Workflow is not valid JSON/);
		expect(error?.description).toMatch(/quotes or line breaks in that text/);
	});
});

describe('rejected workflows', () => {
	const node = (class_type: string, title?: string): ApiGraph[string] => ({
		class_type,
		inputs: {},
		...(title !== undefined && { _meta: { title } }),
	});

	async function rejection(way: Way, graph: ApiGraph, refusal?: Omit<FaultRule, 'times'>): Promise<NodeResult['error']> {
		if (refusal !== undefined) sandbox.inject(refusal);
		const run = submitRun(credentialFor(sandbox, way), graph, { parameters: { options: { keepTryingForSeconds: 0 } } });
		return (await runNode(run)).error;
	}

	const byV2 = (message: string, details: object): FaultRule => ({
		on: 'POST /api/v2/jobs',
		answer: { status: 422, json: { error: { code: 'invalid_workflow', message, details } } },
	});
	const byEngine = (node_errors: object, message = 'Prompt outputs failed validation', type = 'prompt_outputs_failed_validation') => ({
		on: 'POST /api/prompt',
		answer: { status: 400, json: { error: { type, message, details: '', extra_info: {} }, node_errors } },
	});

	it.each<[string, string, ApiGraph, RegExp]>([
		[
			'is looked up in the workflow that was sent',
			'My node',
			{ 3: node('KSampler'), 7: node('UltraUpscaler', 'My node') },
			/^This ComfyUI does not have the node "UltraUpscaler" that the workflow uses \(node 7\)$/,
		],
		[
			'is one of those whose nodes share the title',
			'Load',
			{ 3: node('FooLoader', 'Load'), 5: node('BarLoader', 'Load') },
			/does not have one of the nodes "FooLoader" \(node 3\), "BarLoader" \(node 5\).*title "Load", which these nodes share$/,
		],
		[
			'is named with all nodes of the class that share the title',
			'Load',
			{ 3: node('FooLoader', 'Load'), 5: node('FooLoader', 'Load') },
			/^This ComfyUI does not have the node "FooLoader" that the workflow uses \(nodes 3, 5\)$/,
		],
		[
			'is the name itself where the node has no title',
			'FooLoader',
			{ 3: node('KSampler', 'FooLoader 2'), 5: node('FooLoader') },
			/^This ComfyUI does not have the node "FooLoader" that the workflow uses \(node 5\)$/,
		],
	])('a missing node class that the API proxy reports by the title of its node %s', async (_, title, graph, message) => {
		const sentence = `Node '${title}' not found. The custom node may not be installed.`;
		const error = await rejection('self_hosted', graph, byV2(sentence, { node_errors: {} }));
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/ComfyUI Manager/);
	});

	it.each(['invalid_prompt', 'missing_node_type'] as const)(
		'a missing node class is named by two versions of ComfyUI (%s)',
		async (version) => {
			sandbox.configure({ engineMissingNode: version });
			const graph = { ...colorGraph(1), 7: node('UltraUpscaler', 'My node'), 8: node('OtherUpscaler') };
			const error = await rejection('bare_engine', graph);
			expect(error?.message).toBe('This ComfyUI does not have the node "UltraUpscaler" that the workflow uses (node 7)');
			expect(error?.description).toMatch(/ComfyUI Manager/);
		},
	);

	const notInList = (input_name: string, received_value: string, choices: string[]) => ({
		type: 'value_not_in_list',
		message: 'Value not in list',
		details: `${input_name}: '${received_value}' not in ${JSON.stringify(choices)}`,
		extra_info: { input_name, input_config: [choices, {}], received_value },
	});
	const invalidFile = (kind: string, input_name: string, name: string) => ({
		type: 'custom_validation_failed',
		message: 'Custom validation failed for node',
		details: `${input_name} - Invalid ${kind} file: ${name}`,
		extra_info: { input_name },
	});
	const faulty = (class_type: string, ...errors: object[]) => ({ errors, dependent_outputs: ['9'], class_type });
	const others = (count: number) => Array.from({ length: count }, (_, index) => `other-${index}.safetensors`);

	describe('a file that ComfyUI does not have', () => {
		it.each([
			['CheckpointLoaderSimple', 'ckpt_name', 'models/checkpoints'],
			['DualCLIPLoader', 'clip_name2', 'models/text_encoders'],
			['LoaderOfAPack', 'file', 'from which this node loads its files'],
		])('a model of %s is named with its input, its node and its folder', async (className, input, folder) => {
			const refusal = byEngine({ 4: faulty(className, notInList(input, 'mine.safetensors', others(2))) });
			const error = await rejection('engine', { 4: node(className, 'My model') }, refusal);
			expect(error?.message).toMatch(
				new RegExp(`the file "mine\\.safetensors" that node 4 "My model" \\(${className}\\) uses in ${input}$`),
			);
			expect(error?.description).toContain(`No job was created. Put it into the folder ${folder}`);
			expect(error?.description).not.toMatch(/other-0/);
		});

		it.each([
			['image', 'LoadImage', 'cat.png'],
			['video', 'LoadVideo', 'cat.mp4'],
		])('an input (%s) is to be sent with Comfy Upload Asset', async (kind, className, name) => {
			const refusal = byEngine({ 1: faulty(className, invalidFile(kind, kind, name)) });
			const error = await rejection('engine', { 1: node(className, 'Picture') }, refusal);
			expect(error?.message).toMatch(new RegExp(`the file "${name}" that node 1 "Picture" \\(${className}\\) uses in ${kind}$`));
			expect(error?.description).toMatch(/with Comfy Upload Asset before this node, and enter its reference under Input Files/);
		});
	});

	it('a file that the hosted service does not have cannot be put into a folder', async () => {
		const reason = `Value not in list: ckpt_name: 'mine.safetensors' not in ${JSON.stringify(others(15))}`;
		const refusal = byV2('Prompt outputs failed validation', { 4: [{ field: 'ckpt_name', reason }] });
		const error = await rejection('hosted', { 4: node('CheckpointLoaderSimple') }, refusal);
		expect(error?.message).toBe(
			'The service does not have the file "mine.safetensors" that node 4 (CheckpointLoaderSimple) uses in ckpt_name',
		);
		expect(error?.description).toMatch(/choose a file that the server has/);
		expect(error?.description).not.toMatch(/folder|other-0/);
	});

	describe('another rejection of ComfyUI', () => {
		it.each([
			['a list', (choices: string[]) => [choices, {}]],
			['options', (choices: string[]) => ['COMBO', { options: choices }]],
		])('names its first reason and ten choices of %s, and lists the other reasons', async (_, input_config) => {
			const samplers = Array.from({ length: 19 }, (_each, index) => `sampler_${index}`);
			const wrong = notInList('sampler_name', 'eulre', samplers);
			const tooSmall = { type: 'value_smaller_than_min', message: 'Value 0 smaller than min of 1', details: 'width' };
			const refusal = byEngine({
				3: faulty('KSampler', { ...wrong, extra_info: { ...wrong.extra_info, input_config: input_config(samplers) } }),
				5: faulty('EmptyImage', { ...tooSmall, extra_info: { input_name: 'width' } }),
			});
			const error = await rejection('engine', { 3: node('KSampler', 'Sampler'), 5: node('EmptyImage') }, refusal);
			expect(error?.message).toMatch(
				/^The server rejected this workflow: node 3 "Sampler" \(KSampler\) sampler_name: .*'eulre' is not one of its choices/,
			);
			expect(error?.description).toMatch(/sampler_name accepts: sampler_0, .* and 9 more\./);
			expect(error?.description).not.toMatch(/sampler_18/);
			expect(error?.description).toMatch(/Node 5 \(EmptyImage\) width: Value 0 smaller than min of 1/);
		});

		it.each(['engine', 'v1'] as const)('B18: whose node_errors are empty shows its details (%s)', async (way) => {
			const details = 'Sampler (3): cycle detected';
			const error = (type: string, message: string) => ({ error: { type, message, details, extra_info: {} }, node_errors: {} });
			for (const [type, message] of [
				['prompt_outputs_failed_validation', 'Prompt outputs failed validation'],
				['dependency_cycle', 'Dependency cycle'],
			] as const) {
				const refusal = { on: 'POST /api/prompt', answer: { status: 400, json: error(type, message) } };
				const found = await rejection(way, { 3: node('KSampler', 'Sampler') }, refusal);
				expect(found?.message).toBe(`The server rejected this workflow: ${message} (${details})`);
			}
		});

		it.each(['hosted', 'self_hosted', 'engine', 'v1'] as const)(
			'of a workflow without outputs says which nodes have some (%s)',
			async (way) => {
				const error = await rejection(way, { 1: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } } });
				expect(error?.message).toMatch(/The workflow has no output node/);
				expect(error?.description).toMatch(/Add Save Image, Preview Image/);
			},
		);
	});
});
