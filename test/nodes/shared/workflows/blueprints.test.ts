import type { IDataObject } from 'n8n-workflow';

import { type NodeRun, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { runRun } from '../../support/run';
import { sharedSandbox } from '../../support/sandbox';

const [sandbox, other] = [sharedSandbox(), sharedSandbox()];

const OF_ENGINE = 'blueprint:Colour Picture';
const OF_PACK = 'blueprint:sandbox-colours/Saved Colour';
const FILE_ROUTE = 'GET /api/global_subgraphs/:id';

const bare = (changes: IDataObject = {}) => credentialFor(sandbox, 'bare_engine', changes);
const chosen = (value: string) => ({ workflowSource: 'saved', savedWorkflow: { __rl: true, mode: 'list', value } });
const run = async (value: string, more: Partial<NodeRun> = {}, credential = bare()) =>
	await runNode(runRun(credential, undefined, { ...more, parameters: { ...chosen(value), ...more.parameters } }));
const row = (input: string, value: string): IDataObject => ({
	inputs: { values: [{ input: { __rl: true, mode: 'name', value: input }, value }] },
});

let saved: string[] = [];
const publish = (path: string, file: unknown): void => {
	saved.push(path);
	sandbox.saveWorkflow(path, file, { folder: 'subgraphs' });
};
afterEach(() => {
	for (const path of saved) sandbox.deleteWorkflow(path, { folder: 'subgraphs' });
	saved = [];
});

/** The file of the sandbox's blueprint, as its server sends it. */
async function blueprintFile(): Promise<{ nodes: IDataObject[] } & IDataObject> {
	const url = `${sandbox.urls.engine}/api/global_subgraphs`;
	const list = (await (await fetch(url)).json()) as Record<string, { name: string }>;
	const [id = ''] = Object.entries(list).find(([, { name }]) => name === 'Colour Picture') ?? [];
	const { data } = (await (await fetch(`${url}/${id}`)).json()) as { data: string };
	return JSON.parse(data) as { nodes: IDataObject[] };
}

describe('a blueprint', () => {
	it('runs with a node that saves its output, with the values of each item, and the editor’s file contains both', async () => {
		const items = [{ json: { color: 5 } }, { json: { color: 6 } }];
		const { outputs, error } = await run(OF_ENGINE, { items, parameters: row('7:1.color', '={{ $json.color }}') });
		expect(error).toBeUndefined();
		expect(outputs[0]).toHaveLength(2);
		for (const [index, item] of (outputs[0] ?? []).entries()) {
			expect(item.json).toMatchObject({ workflow_name: 'Colour Picture', type: 'image', node_id: '8' });
			expect(item.json.conversion_notes).toEqual([
				'Node 8 "Save Image" (SaveImage): the blueprint has no node for its output IMAGE, so this node was added. Check this node in ComfyUI.',
			]);
			expect(item.pairedItem).toEqual({ item: index });
			const job = sandbox.job(String(item.json.job_id));
			expect(job?.graph).toEqual({
				'7:1': {
					class_type: 'EmptyImage',
					inputs: { width: 32, height: 16, batch_size: 1, color: 5 + index },
					_meta: { title: 'EmptyImage' },
				},
				'8': { class_type: 'SaveImage', inputs: { filename_prefix: 'ComfyUI', images: ['7:1', 0] }, _meta: { title: 'Save Image' } },
			});
		}
	});

	it('of a pack runs with its own node', async () => {
		const { outputs, error } = await run(OF_PACK);
		expect(error).toBeUndefined();
		expect(outputs[0]).toHaveLength(1);
		expect(outputs[0]?.[0]?.json).toMatchObject({ workflow_name: 'sandbox-colours/Saved Colour', node_id: '7:2' });
		expect(outputs[0]?.[0]?.json).not.toHaveProperty('conversion_notes');
	});
});
