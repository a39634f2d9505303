import type { ApiGraph } from '../../../client';
import { runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph, slowGraph } from '../support/graphs';
import { runRun } from '../support/run';
import { jsons } from '../support/submit';
import { freshSandbox } from '../support/sandbox';

const sandbox = freshSandbox();

const row = (name: string, value: unknown) => ({ input: { __rl: true, mode: 'name', value: name }, value });
const MEGABYTE = 1024 * 1024;

const editorFormat = {
	last_node_id: 2,
	nodes: [{ id: 1, type: 'NodeOfNobody', title: 'Mine', widgets_values: [8, 8, 1, 0] }],
	links: [[1, 1, 0, 2, 0, 'IMAGE']],
	version: 0.4,
};

it.each([
	['nothing', '{}', /^Workflow is empty$/, /Paste the workflow/],
	['an expression that found nothing', '={{ $json.nothing }}', /^Workflow is empty$/, /expression/],
	['an empty canvas of the editor', JSON.stringify({ ...editorFormat, nodes: [], links: [] }), /Workflow/, /Nothing was sent/],
	['half a workflow', JSON.stringify(colorGraph(1)).slice(0, 100), /^Workflow is not readable JSON/, /Nothing was sent/],
	['a web page', '<!doctype html><title>Sign in</title>', /^Workflow is not readable JSON/, /Nothing was sent/],
	[
		'10 MB of JSON that is no workflow',
		JSON.stringify({ rows: 'x'.repeat(10 * MEGABYTE) }),
		/^Workflow is not in API format/,
		/Nothing was sent/,
	],
])('%s in place of a workflow is refused with what to do', async (_, workflow, message, advice) => {
	const { error } = await runNode(runRun(credentialFor(sandbox), workflow));
	expect(error?.message).toMatch(message);
	expect(error?.description).toMatch(advice);
	expect(error?.message.length).toBeLessThan(300);
	expect(sandbox.requests()).toEqual([]);
});

it('the editor’s own format with a node that the server lacks is refused with its name and what to do; no job is submitted', async () => {
	const { error } = await runNode(runRun(credentialFor(sandbox), JSON.stringify(editorFormat)));
	expect(error?.message).toBe('The service does not have the node "NodeOfNobody" that the workflow uses (node 1 "Mine")');
	expect(error?.description).toMatch(/Nothing was sent.*Replace it in the workflow.*Check Workflow/s);
	expect(sandbox.requests().filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('10 MB of JSON that are a workflow run', async () => {
	const graph: ApiGraph = { ...colorGraph(2), '3': { class_type: 'PrimitiveString', inputs: { value: 'x'.repeat(10 * MEGABYTE) } } };
	const parameters = { inputs: { values: [row('Canvas.width', '16')] }, options: { seeds: 'random' } };
	const result = await runNode(runRun(credentialFor(sandbox), JSON.stringify(graph), { parameters }));
	expect(result.error).toBeUndefined();
	expect(jsons(result)).toEqual([expect.objectContaining({ status: 'succeeded', name: expect.stringMatching(/^color/) })]);
});

it.each([
	['an input that takes its value from another node', row('3.images', 'cat.png'), /^Input 1 \(3\.images\)/, /node/],
	['an input that is not there', row('2.sed', 5), /^Input 1 \(2\.sed\): the workflow has no input "2\.sed"/, /2\.seed/],
	['a value of another type', row('2.steps', 'many'), /^Input 1 .*takes a whole number|^Input 1 .*takes a number/, /Nothing was sent/],
])('%s: the row is named, and nothing is sent', async (_, bad, message, advice) => {
	const { error } = await runNode(runRun(credentialFor(sandbox), slowGraph(1, 1), { parameters: { inputs: { values: [bad] } } }));
	expect(error?.message).toMatch(message);
	expect(error?.description).toMatch(advice);
	expect(sandbox.requests('POST /api/v2/jobs')).toEqual([]);
});

it('L7: the advice for a missing image names the rows of Files, which this node has', async () => {
	const graph: ApiGraph = {
		'1': { class_type: 'LoadImage', inputs: { image: 'not-there.png' } },
		'2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
	};
	const { error } = await runNode(runRun(credentialFor(sandbox, 'bare_engine'), graph));
	expect(error?.message).toBe('This ComfyUI does not have the file "not-there.png", which node 1 (LoadImage) names under image');
	expect(error?.description).toContain('No job was created. Send it in a row of Files; or put it into ComfyUI’s folder input.');
	expect(error?.description).not.toMatch(/Input Files|Upload Asset/);
});

describe('a link to a node that the workflow does not have', () => {
	const graph: ApiGraph = {
		'3': { class_type: 'SandboxSampler', _meta: { title: 'My sampler' }, inputs: { image: ['9', 0], steps: 1, step_ms: 1, seed: 1 } },
		'5': { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: 'x' } },
	};

	it.each(['hosted', 'v1', 'self_hosted', 'bare_engine'] as const)(
		'L10: is reported before anything is sent, with the node, the input and the missing id (%s)',
		async (way) => {
			const { error } = await runNode(runRun(credentialFor(sandbox, way), graph));
			expect(error?.message).toBe('Node 3 "My sampler" (SandboxSampler), image: it is linked to node 9, which the workflow does not have');
			expect(error?.description).toBe(
				'Nothing was sent. Link the input to a node of the workflow, or export the complete workflow again from ComfyUI.',
			);
			expect(sandbox.requests().filter(({ method }) => method === 'POST')).toEqual([]);
		},
	);

	it('L10: is no fault in a node that no output needs, because ComfyUI ignores it', async () => {
		const { '3': unused } = graph;
		const result = await runNode(runRun(credentialFor(sandbox), { ...colorGraph(7), '30': unused as ApiGraph[string] }));
		expect(result.error).toBeUndefined();
		expect(jsons(result)[0]).toMatchObject({ status: 'succeeded' });
	});

	it('L10: is named when the server says only that the validation of an output of unknown class failed', async () => {
		const { '5': save } = graph;
		const sent = { ...graph, '5': { ...(save as ApiGraph[string]), class_type: 'OutputOfAPack' } };
		sandbox.inject({
			on: 'POST /api/prompt',
			answer: {
				status: 400,
				headers: { 'content-type': 'application/json' },
				body: Buffer.from(
					JSON.stringify({
						error: { type: 'prompt_outputs_failed_validation', message: 'Prompt outputs failed validation', details: '', extra_info: {} },
						node_errors: {
							'5': {
								errors: [
									{ type: 'exception_during_validation', message: 'Exception when validating node', details: "'9'", extra_info: {} },
								],
								dependent_outputs: ['5'],
								class_type: 'OutputOfAPack',
							},
						},
					}),
				),
			},
		});
		const { error } = await runNode(runRun(credentialFor(sandbox, 'bare_engine'), sent));
		expect(error?.message).toBe('Node 3 "My sampler" (SandboxSampler), image: it is linked to node 9, which the workflow does not have');
		expect(error?.description).toContain('No job was created. Link the input to a node of the workflow');
	});
});

it('a seed that a row gives is not drawn; the others are', async () => {
	const parameters = { inputs: { values: [row('2.seed', '18446744073709551615')] }, options: { seeds: 'random' } };
	const result = await runNode(runRun(credentialFor(sandbox), slowGraph(1, 1, 5), { parameters }));
	expect(jsons(result)[0]).toMatchObject({ seed: '18446744073709551615', seeds: { '2.seed': '18446744073709551615' } });
});

it('one item of 5 has no workflow: it alone fails', async () => {
	const items = [0, 1, 2, 3, 4].map((color) => ({ json: color === 3 ? {} : { graph: JSON.stringify(colorGraph(color)) } }));
	const result = await runNode(runRun(credentialFor(sandbox), '={{ $json.graph }}', { items, ...CONTINUE }));
	expect(jsons(result).map(({ error }) => error)).toEqual([undefined, undefined, undefined, 'Workflow is empty', undefined]);
	expect(sandbox.ledger.runs).toHaveLength(4);
});

it('an interval of Max Wait that is none is refused by name', async () => {
	const { error } = await runNode(
		runRun(credentialFor(sandbox), colorGraph(1), { parameters: { options: { maxWaitMinutes: '={{ "soon" }}' } } }),
	);
	expect(error?.message).toBe('Max Wait (Minutes) is not a number of at least 0');
	expect(sandbox.requests()).toEqual([]);
});
