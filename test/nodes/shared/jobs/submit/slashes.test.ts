import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../../../client';
import { textToImage } from '../../../../support/graphs';
import { runNode } from '../../../support/engine';
import { credentialFor, type Way } from '../../../support/flavours';
import { manageRun } from '../../../support/manage';
import { runRun } from '../../../support/run';
import { sharedSandbox } from '../../../support/sandbox';
import { jsons, submitRun } from '../../../support/submit';

const sandbox = sharedSandbox();

const lora = (name: string, from: string) => ({
	class_type: 'LoraLoader',
	inputs: { model: [from, 0], clip: ['4', 1], lora_name: name, strength_model: 1, strength_clip: 1 },
});
/** Two LoRAs: one has a name with a folder, as Windows writes it. */
const withLoras = (name = 'ink\\brush.safetensors'): ApiGraph => ({
	...textToImage,
	'3': { class_type: 'KSampler', inputs: { ...textToImage['3']?.inputs, steps: 1, model: ['11', 0] } },
	'4': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'daylight_v2.safetensors' } },
	'5': { class_type: 'EmptyLatentImage', inputs: { width: 16, height: 16, batch_size: 1 } },
	'6': { class_type: 'CLIPTextEncode', inputs: { text: 'ink\\brush.safetensors', clip: ['4', 1] } },
	'10': lora(name, '4'),
	'11': lora('pixel_art.safetensors', '10'),
});

describe.each([
	['Comfy Run Workflow', runRun],
	['Comfy Submit Workflow', submitRun],
])('%s', (_, toRun) => {
	it.each<[string, Way, string, IDataObject]>([
		['in the workflow', 'bare_engine', 'ink\\brush.safetensors', {}],
		['in the workflow', 'v1', 'ink\\brush.safetensors', {}],
		[
			'in a row',
			'bare_engine',
			'pixel_art.safetensors',
			{ values: [{ input: { mode: 'name', value: '10.lora_name' }, value: '={{ "ink\\\\brush.safetensors" }}' }] } as IDataObject,
		],
	])('B14: the name of a model with the slash of Windows %s is sent as the server spells it (%s)', async (_where, way, name, inputs) => {
		const run = toRun(credentialFor(sandbox, way), withLoras(name), { items: [{}, {}], parameters: { inputs } });
		const result = await runNode(run);
		expect(result.error).toBeUndefined();
		for (const { job_id: id } of jsons(result)) {
			const graph = sandbox.job(String(id))?.graph;
			expect([graph?.['10']?.inputs.lora_name, graph?.['11']?.inputs.lora_name, graph?.['6']?.inputs.text]).toEqual([
				'ink/brush.safetensors',
				'pixel_art.safetensors',
				'ink\\brush.safetensors',
			]);
		}
	});
});

it('B14: Check Workflow finds the model with either slash, and reports one that the server does not have', async () => {
	const check = async (name: string) => {
		const parameters = { workflowSource: 'json', workflow: JSON.stringify(withLoras(name)) };
		return jsons(await runNode(manageRun(credentialFor(sandbox, 'engine'), 'workflow:check', { parameters })))[0]?.missing_models;
	};
	expect(await check('ink\\brush.safetensors')).toEqual([]);
	expect(await check('ink/brush.safetensors')).toEqual([]);
	expect(await check('ink\\pencil.safetensors')).toMatchObject([{ name: 'ink\\pencil.safetensors' }]);
});
