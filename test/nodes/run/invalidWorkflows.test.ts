import { countTurns } from '../../support/turnClock';
import { runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph, GRAPH_OF_ITEM, graphItems } from '../support/graphs';
import { runRun } from '../support/run';
import { sharedSandbox } from '../support/sandbox';
import { jsons } from '../support/submit';

countTurns(5);
const sandbox = sharedSandbox();

const MEGABYTE = 1024 * 1024;
const posts = () => sandbox.requests().filter(({ method }) => method === 'POST');

it.each([
	['nothing', '', /^Workflow is empty$/, /Paste the workflow/],
	['a prompt without nodes', { prompt: {} }, /contains no nodes/, /Export \(API\)/],
	['an expression that found nothing', '={{ $json.nothing }}', /^Workflow is empty$/, /expression/],
	[
		'an empty canvas of the editor',
		JSON.stringify({ nodes: [], links: [], last_node_id: 2, version: 0.4 }),
		/^Workflow cannot be converted: it has no node to run/,
		/Enable its nodes in ComfyUI/,
	],
	['half a workflow', JSON.stringify(colorGraph(1)).slice(0, 100), /^Workflow is not valid JSON/, /Nothing was sent/],
	['10 MB of JSON that is no workflow', JSON.stringify({ rows: 'x'.repeat(10 * MEGABYTE) }), /^Workflow is not in API format/, /Nothing/],
])('%s in place of a workflow is rejected with what to do', async (_, workflow, message, advice) => {
	const { error } = await runNode(runRun(credentialFor(sandbox), workflow));
	expect(error?.message).toMatch(message);
	expect(error?.description).toMatch(advice);
	expect(error?.message.length).toBeLessThan(300);
	expect(sandbox.requests()).toEqual([]);
});

describe('a link to a node that the workflow does not have', () => {
	const sampler = {
		class_type: 'SandboxSampler',
		_meta: { title: 'My sampler' },
		inputs: { image: ['9', 0], steps: 1, step_ms: 1, seed: 1 },
	};
	const save = { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: 'x' } };
	const MESSAGE = 'Node 3 "My sampler" (SandboxSampler), image: it is linked to node 9, which is not in the workflow';

	it('fails only its item before anything of it is sent, unless no output needs the node', async () => {
		const items = graphItems([colorGraph(6), { '3': sampler, '5': save }, { ...colorGraph(7), '30': sampler }]);
		const result = await runNode(runRun(credentialFor(sandbox), GRAPH_OF_ITEM, { items, ...CONTINUE }));
		expect(jsons(result)).toMatchObject([
			{ status: 'succeeded' },
			{
				error: MESSAGE,
				error_description:
					'Nothing was sent. Link the input to a node of the workflow, or export the complete workflow again from ComfyUI.',
			},
			{ status: 'succeeded' },
		]);
		expect(posts()).toHaveLength(2);
	});

	it('is named when the server says only that the validation of an output of unknown class failed', async () => {
		const errors = [{ type: 'exception_during_validation', message: 'Exception when validating node', details: "'9'", extra_info: {} }];
		const error = { type: 'prompt_outputs_failed_validation', message: 'Prompt outputs failed validation', details: '', extra_info: {} };
		const json = { error, node_errors: { '5': { errors, dependent_outputs: ['5'], class_type: 'OutputOfAPack' } } };
		sandbox.inject({ on: 'POST /api/prompt', answer: { status: 400, json } });
		const sent = { '3': sampler, '5': { ...save, class_type: 'OutputOfAPack' } };
		const result = await runNode(runRun(credentialFor(sandbox, 'bare_engine'), sent));
		expect(result.error?.message).toBe(MESSAGE);
		expect(result.error?.description).toContain('No job was created. Link the input to a node of the workflow');
	});
});

it('an invalid Max Wait of the second item is rejected by its name', async () => {
	const parameters = { options: { concurrency: 1, maxWaitMinutes: '={{ ["1", "soon"][$itemIndex] }}' } };
	const { error } = await runNode(runRun(credentialFor(sandbox), colorGraph(1), { items: [{}, {}], parameters }));
	expect(error?.message).toBe('Max Wait (Minutes) is not a number of at least 0');
	expect(error?.context.itemIndex).toBe(1);
});
