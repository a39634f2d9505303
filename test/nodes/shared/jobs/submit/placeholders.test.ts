import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../../../client';
import { type NodeResult, type NodeRun, runNode } from '../../../support/engine';
import { CONTINUE } from '../../../support/files';
import { credentialFor, type Way } from '../../../support/flavours';
import { graphsSentTo, submissionsTo } from '../../../support/inputImages';
import { manageRun } from '../../../support/manage';
import { runRun } from '../../../support/run';
import { sharedSandbox } from '../../../support/sandbox';
import { jsons, submitRun } from '../../../support/submit';

const sandbox = sharedSandbox();
const NODES = { 'Comfy Run Workflow': runRun, 'Comfy Submit Workflow': submitRun };

const textGraph = (text: unknown, more: ApiGraph = {}, saved: unknown = ['1', 0]): ApiGraph => ({
	'1': { class_type: 'PrimitiveString', _meta: { title: 'Prompt' }, inputs: { value: text } },
	'2': { class_type: 'SaveText', inputs: { text: saved, filename_prefix: '%year%-%month%/%Prompt.value%' } },
	...more,
});
/** The second of two rows. */
const row = (value: unknown): IDataObject =>
	({
		values: Object.entries({ '2.filename_prefix': 'entered', '1.value': value }).map(([name, set]) => ({
			input: { mode: 'name', value: name },
			value: set,
		})),
	}) as IDataObject;

const canvas = (width: unknown) => ({ class_type: 'EmptyImage', inputs: { width, height: 8, batch_size: 1, color: 1 } });
const sampler = { class_type: 'SandboxSampler', inputs: { image: ['4', 0], steps: 1, step_ms: 1, seed: '%seed%' } };

/** The texts that the service received. */
const sentTexts = (): unknown[] => graphsSentTo(sandbox).map((graph) => graph['1']?.inputs.value);

describe.each(Object.entries(NODES))('%s', (_, toRun) => {
	const run = async (workflow: unknown, { way = 'hosted', ...more }: { way?: Way } & Partial<NodeRun> = {}): Promise<NodeResult> =>
		await runNode(toRun(credentialFor(sandbox, way), workflow, more));

	it.each([
		[
			'an expression inside a text',
			"a fox, {{ $('Sheet').item.json.style }}, 8k",
			"the expression {{ $('Sheet').item.json.style }} as plain text",
		],
		['a name', '%prompt%', 'the placeholder %prompt%, which nothing replaces'],
		['a name of another program inside a text', 'best quality, %negative_prompt%', 'the placeholder %negative_prompt%'],
	])('B9: %s that stays in the pasted workflow is rejected before anything is sent', async (_name, text, words) => {
		const result = await run(JSON.stringify(textGraph(text)), { items: [{}, {}] });
		expect(result.error?.message).toContain(`Node 1 "Prompt" (PrimitiveString), value: the value contains ${words}`);
		expect(result.error?.description).toMatch(/^Nothing was sent\. Add a row to Inputs for this input/);
		expect(submissionsTo(sandbox)).toEqual([]);
	});

	it('B9: a placeholder in a number or in a second node is named as well', async () => {
		const { error } = await run(textGraph('a fox', { '4': canvas('%width%'), '5': sampler }));
		expect(error?.message).toContain('Node 4 (EmptyImage), width: the value contains the placeholder %width%');
		expect(error?.description).toContain('Node 5 (SandboxSampler), seed: the value contains the placeholder %seed%');
	});

	it('B9: of two items, only the one whose row holds an expression as plain text is rejected', async () => {
		const items = [{ json: { text: '{{ $json.prompt }}' } }, { json: { text: 'a fox' } }];
		const result = await run(textGraph('old'), { ...CONTINUE, items, parameters: { inputs: row('={{ $json.text }}') } });
		const [rejected, sent] = jsons(result);
		expect(rejected?.error).toBe('Input 2 (Prompt · value) contains the expression {{ $json.prompt }} as plain text');
		expect(rejected?.error_description).toMatch(/Nothing was sent\..*select Expression instead of Fixed/s);
		expect(sent).not.toHaveProperty('error');
		expect(sentTexts()).toEqual(['a fox']);
	});

	it('B9: a row replaces the placeholder of the workflow, also with a text that quotes another one', async () => {
		const items = [{ json: { text: 'write {{ $json.prompt }} and %seed% on a wall' } }, { json: { text: 'a fox' } }];
		const result = await run(textGraph('%prompt%'), {
			items,
			parameters: { inputs: row('={{ $json.text }}'), options: { concurrency: 1 } },
		});
		expect(result.error).toBeUndefined();
		expect(sentTexts()).toEqual(['write {{ $json.prompt }} and %seed% on a wall', 'a fox']);
	});

	it.each([
		['Workflow', '{"1": {"class_type": "SaveText", "inputs": {"text": {{ $json.prompt }}}}}', {}, /^Workflow is not valid JSON/],
		['Input Values', textGraph('a'), { inputValues: '{"1": {"value": {{ $json.prompt }}}}' }, /^Input Values is not valid/],
	])('B9: %s that is no JSON because of an expression names the expression', async (_name, workflow, options, message) => {
		const { error } = await run(workflow, { parameters: { options } });
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/the expression {{ \$json\.prompt }} as plain text\. .*select Expression/);
	});

	it.each([
		['percent signs', '50% grey, 20% blue, 100%'],
		['wildcards', '{red|blue} fox, {{a|b}|c}, __color__'],
		['a Jinja template', '{{ messages[0].content }} {% for a in b %}{{ a }}{% endfor %}'],
		['a price and braces', '{{cheap}} $5 {{ $name }}'],
		['an address', 'https://example.com/a%20prompt%20b'],
		['a name of ComfyUI', '%date:yyyy-MM-dd%'],
		['an environment variable in a longer text', 'C:\\Users\\%USERNAME%\\out'],
	])('B9: a text with %s is sent unchanged', async (_name, text) => {
		const result = await run(textGraph(text), { items: [{}, {}] });
		expect(result.error).toBeUndefined();
		expect(sentTexts()).toEqual([text, text]);
	});

	it('B9: names in the file name of a saver, and names that a node replaces, are sent unchanged', async () => {
		const more = {
			'3': { class_type: 'PrimitiveString', inputs: { value: '%model%_%seed%' } },
			'4': { class_type: 'SaveText', inputs: { text: ['1', 0], filename_prefix: ['3', 0] } },
			'5': { class_type: 'StringReplace', inputs: { string: ['1', 0], find: '%prompt%', replace: 'a fox' } },
		};
		await run(textGraph('a photo of %prompt%', more));
		expect(sentTexts()).toEqual(['a photo of %prompt%']);
	});
});

it('B9: Check Workflow reports the placeholders of two nodes, each once', async () => {
	const save = { class_type: 'SaveImage', inputs: { images: ['5', 0], filename_prefix: 'x' } };
	const workflow = JSON.stringify(textGraph('{{ $json.prompt }}', { '4': canvas(8), '5': sampler, '6': save }));
	const parameters = { workflowSource: 'json', workflow };
	const [item] = jsons(await runNode(manageRun(credentialFor(sandbox, 'engine'), 'workflow:check', { parameters })));
	expect(item).toMatchObject({
		can_run: false,
		other_faults: [
			'Node 1 "Prompt" (PrimitiveString), value: the value contains the expression {{ $json.prompt }} as plain text.',
			'Node 5 (SandboxSampler), seed: the value contains the placeholder %seed%, which nothing replaces.',
		],
	});
});
