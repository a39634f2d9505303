import type { IDataObject } from 'n8n-workflow';

import { RETIRED } from '../../../support/retiredNodes';
import { editorFile } from '../../support/editorFiles';
import { type NodeRun, runNode } from '../../support/engine';
import { credentialFor, type Way, ways } from '../../support/flavours';
import { manageRun } from '../../support/manage';
import { runRun } from '../../support/run';
import { sharedSandbox } from '../../support/sandbox';
import { jsons } from '../../support/submit';

const sandbox = sharedSandbox();
beforeEach(() => sandbox.configure({ nodeReplacements: RETIRED }));
afterEach(() => sandbox.configure({ nodeReplacements: null }));

let color = 81_000;

const json = (workflow: unknown): IDataObject => ({ workflowSource: 'json', workflow: JSON.stringify(workflow) });

/** An old tutorial: a picture of a retired class, scaled by a retired class of a pack. */
function oldTutorial(pack = 'AcmeScale'): Record<string, unknown> {
	const { nodes, ...file } = editorFile(color++) as { nodes: IDataObject[] };
	const scale = {
		...{ id: 5, type: pack, mode: 0, title: 'Bigger', widgets_values: [24, 12, 'best'] },
		...{ inputs: [{ name: 'picture', type: 'IMAGE', link: 1 }], outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [2] }] },
	};
	const [canvas, save, note] = nodes;
	return {
		...file,
		nodes: [{ ...canvas, type: 'EmptyImage ' }, scale, { ...save, inputs: [{ name: 'images', type: 'IMAGE', link: 2 }] }, note],
		links: [
			[1, 1, 0, 5, 0, 'IMAGE'],
			[2, 5, 0, 2, 0, 'IMAGE'],
		],
	};
}

const BIGGER = { image: ['1', 0], upscale_method: 'bicubic', width: 24, height: 12, crop: 'disabled' };
const NOTES = [
	'Node 1 "Canvas" (EmptyImage ): this ComfyUI no longer has this node. EmptyImage, which replaces it, runs instead. Check this node in ComfyUI.',
	'Node 5 "Bigger" (AcmeScale): this ComfyUI no longer has this node. ImageScale, which replaces it, runs instead, without quality. Check this node in ComfyUI.',
];
const replacementsRead = () => sandbox.requests().filter(({ path }) => path === '/api/node_replacements');

describe('two retired nodes of an editor file', () => {
	it.each(ways.filter((way) => way !== 'deployment'))(
		'run as the classes that replace them, and each item names both (%s)',
		async (way) => {
			const parameters = { workflow: '={{ $json.workflow }}' };
			const items = [oldTutorial(), oldTutorial()].map((workflow) => ({ json: { workflow: JSON.stringify(workflow) } }));
			const result = await runNode(runRun(credentialFor(sandbox, way), '', { items, parameters }));
			expect(jsons(result)).toMatchObject([{ conversion_notes: NOTES }, { conversion_notes: NOTES }]);
			for (const { job_id: id } of jsons(result)) {
				expect(sandbox.job(String(id))?.graph).toMatchObject({
					1: { class_type: 'EmptyImage', inputs: { width: 16, height: 8, batch_size: 1 } },
					5: { class_type: 'ImageScale', inputs: BIGGER },
				});
			}
		},
	);

	it('need the list of replacements once, and a workflow without them does not need it', async () => {
		const credential = credentialFor(sandbox, 'bare_engine', { keepLinksOnThisAddress: true });
		const run = async (workflow: unknown) => jsons(await runNode(runRun(credential, JSON.stringify(workflow))));
		sandbox.resetRecords();
		expect((await run(editorFile(color++)))[0]).not.toHaveProperty('conversion_notes');
		expect(replacementsRead()).toEqual([]);
		for (const workflow of [oldTutorial(), oldTutorial()]) await run(workflow);
		expect(replacementsRead()).toHaveLength(1);
	});

	it('are named with their replacement if the server does not have the new class, or reports no list', async () => {
		const refuse = async (className: string, token = '') => {
			const { error } = await runNode(runRun(credentialFor(sandbox, 'bare_engine', { token }), JSON.stringify(oldTutorial(className))));
			return `${error?.message} ${error?.description}`;
		};
		const missing = await refuse('AcmeGone');
		expect(missing).toContain('This ComfyUI does not have the node "AcmeGone" that the workflow uses (node 5 "Bigger")');
		expect(missing).toContain('In ComfyUI, replace AcmeGone with AcmeNew. Then save the workflow again.');
		sandbox.configure({ nodeReplacements: null });
		const both = await refuse('T2IAdapterLoader', 'older');
		expect(both).toContain('In ComfyUI, replace T2IAdapterLoader with ControlNetLoader. Then save the workflow again. Update ComfyUI, or');
		expect(both).toContain('T2IAdapterLoader (node 5 "Bigger"): retired; ControlNetLoader replaces it');
	});

	it('are reported as missing if the list of replacements cannot be read', async () => {
		sandbox.inject({ on: 'GET /api/features', surface: 'engine', answer: { status: 403, code: 'forbidden' } });
		const credential = credentialFor(sandbox, 'bare_engine', { token: 'other' });
		const { error } = await runNode(runRun(credential, JSON.stringify(oldTutorial())));
		expect(error?.message).toContain('does not have 2 nodes that the workflow uses');
	});
});

const exported = (className: string) => ({
	1: { class_type: 'EmptyImage ', inputs: { width: 8, height: 8, batch_size: 1, color: color++ }, _meta: { title: 'Canvas' } },
	5: { class_type: className, inputs: { picture: ['1', 0], size_x: 24, size_y: 12, quality: 1 }, _meta: { title: 'Bigger' } },
	2: { class_type: 'SaveImage', inputs: { images: ['5', 0], filename_prefix: 'old' } },
});

describe('two retired nodes of a workflow in API format', () => {
	it('run on an engine with all their inputs, and each item names both', async () => {
		const items = [exported('AcmeScale'), exported('AcmeScale')].map((graph) => ({ json: { workflow: JSON.stringify(graph) } }));
		const run = runRun(credentialFor(sandbox, 'bare_engine'), '', { items, parameters: { workflow: '={{ $json.workflow }}' } });
		for (const { job_id: id, conversion_notes: notes } of jsons(await runNode(run))) {
			expect(notes).toEqual(NOTES);
			expect(sandbox.job(String(id))?.graph).toMatchObject({
				1: { class_type: 'EmptyImage', inputs: { width: 8, batch_size: 1 } },
				5: { class_type: 'ImageScale', inputs: BIGGER },
			});
		}
	});

	it('are sent unchanged if the definitions of their classes cannot be read, and ComfyUI answers', async () => {
		const credential = credentialFor(sandbox, 'bare_engine', { token: 'third' });
		sandbox.inject({ on: 'GET /api/object_info/AcmeScale', surface: 'engine', answer: { status: 403, code: 'forbidden' } });
		const { error } = await runNode(runRun(credential, exported('AcmeScale')));
		expect(sandbox.requests('POST /api/prompt', 'engine')).toMatchObject([{ bodyText: expect.stringContaining('"AcmeScale"') }]);
		expect(error?.message).toMatch(/EmptyImage/);
	});
});

describe('Check', () => {
	const check = async (workflow: unknown, way: Way = 'engine', more: Partial<NodeRun> = {}) =>
		jsons(await runNode(manageRun(credentialFor(sandbox, way), 'workflow:check', { ...more, parameters: json(workflow) })));

	it.each<Way>(['bare_engine', 'self_hosted', 'v1', 'hosted'])('lists the replaced nodes of both formats as notes (%s)', async (way) => {
		for (const workflow of [oldTutorial(), exported('AcmeScale')])
			expect(await check(workflow, way)).toMatchObject([{ can_run: true, missing_classes: [], other_faults: [], notes: NOTES }]);
	});

	it.each([oldTutorial, exported])('names the replacement of a class that is missing (%p)', async (workflowWith) => {
		for (const [className, replacedBy] of [
			['AcmeGone', 'AcmeNew'],
			['T2IAdapterLoader', 'ControlNetLoader'],
		] as const) {
			const advice = `In ComfyUI, replace ${className} with ${replacedBy}. Then save the workflow again.`;
			const missing = { class_name: className, replaced_by: replacedBy, cause: 'retired', advice, nodes: [{ node_id: '5' }] };
			expect(await check(workflowWith(className))).toMatchObject([{ can_run: false, missing_classes: [missing] }]);
		}
	});
});
