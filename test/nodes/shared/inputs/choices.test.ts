import { type IDataObject, type INode, NodeHelpers } from 'n8n-workflow';

import type { ApiGraph } from '../../../../client';
import { clock } from '../../../../client/clock';
import * as graphs from '../../../support/graphs';
import { type NodeResult, type NodeRun, nodes, runNode } from '../../support/engine';
import { credentialFor, type Way, ways } from '../../support/flavours';
import { sharedSandbox } from '../../support/sandbox';
import { jsons, submitRun } from '../../support/submit';

const sandbox = sharedSandbox();

const drawn: ApiGraph = {
	...graphs.textToImage,
	'4': graphs.node('CheckpointLoaderSimple', 'Load Checkpoint', { ckpt_name: 'daylight_v2.safetensors' }),
	'5': graphs.node('EmptyLatentImage', 'Canvas', { width: 16, height: 16, batch_size: 1 }),
	'3': graphs.node('KSampler', 'Sampler', { ...graphs.textToImage['3']?.inputs, steps: 2 }),
};

const CHECKPOINT = { __rl: true, mode: 'list', value: '4.ckpt_name', cachedResultName: 'Load Checkpoint · ckpt_name (was "x")' };
const chosen = (choice: unknown, more: IDataObject = {}): IDataObject =>
	({ inputs: { values: [{ input: CHECKPOINT, valueFrom: 'choice', choice, ...more }] } }) as IDataObject;
const fromList = (value: string): IDataObject => ({ __rl: true, mode: 'list', value, cachedResultName: value });

const submit = async (parameters: IDataObject, way: Way = 'bare_engine', more: Partial<NodeRun> = {}): Promise<NodeResult> =>
	await runNode(submitRun(credentialFor(sandbox, way), JSON.stringify(drawn), { parameters, ...more }));

function checkpointIn(result: NodeResult): unknown {
	if (result.status !== 'success') throw new Error(`${result.error?.message}. ${result.error?.description}`);
	return sandbox.job(String(jsons(result)[0]?.job_id))?.graph['4']?.inputs.ckpt_name;
}

const submissions = (): number => [...sandbox.requests('POST /api/v2/jobs'), ...sandbox.requests('POST /api/prompt')].length;

describe('a row with Value From set to Choice', () => {
	it.each(ways)('puts the chosen value into the workflow (%s)', async (way) => {
		expect(checkpointIn(await submit(chosen(fromList('midnight_v1.safetensors')), way))).toBe('midnight_v1.safetensors');
	});

	it('takes a name, or an expression that finds one', async () => {
		const byExpression = chosen({ __rl: true, mode: 'name', value: '={{ $json.model }}' });
		const items = [{ json: { model: 'midnight_v1.safetensors' } }];
		expect(checkpointIn(await submit(byExpression, 'bare_engine', { items }))).toBe('midnight_v1.safetensors');
	});

	it('ignores the hidden field Value', async () => {
		expect(checkpointIn(await submit(chosen(fromList('midnight_v1.safetensors'), { value: 'of before' })))).toBe('midnight_v1.safetensors');
	});

	it('takes a model that was just added, in the second of two rows', async () => {
		const credential = credentialFor(sandbox, 'bare_engine', { partnerApiKey: 'added in a run', moreSettings: true });
		const steps = { input: { __rl: true, mode: 'name', value: '3.steps' }, valueFrom: 'text', value: '1' };
		const run = async (model: string) => {
			const [row] = (chosen(fromList(model)).inputs as { values: IDataObject[] }).values;
			const parameters = { inputs: { values: [steps, row] } } as IDataObject;
			return await runNode(submitRun(credential, JSON.stringify(drawn), { parameters }));
		};
		const old = { CheckpointLoaderSimple: { input: { required: { ckpt_name: [['daylight_v2.safetensors']] } } } };
		sandbox.inject({ on: 'GET /api/object_info/CheckpointLoaderSimple', surface: 'engine', answer: { status: 200, json: old } });
		expect(checkpointIn(await run('daylight_v2.safetensors'))).toBe('daylight_v2.safetensors');
		const now = clock.now.bind(clock);
		jest.spyOn(clock, 'now').mockImplementation(() => now() + 6_000);
		expect(checkpointIn(await run('midnight_v1.safetensors'))).toBe('midnight_v1.safetensors');
	});

	it('names the nearest choices if the server no longer has the value, and submits nothing', async () => {
		const { error } = await submit(chosen(fromList('daylight_v1.safetensors')));
		expect(error?.message).toBe('Input 1 (Load Checkpoint · ckpt_name) does not offer the value "daylight_v1.safetensors"');
		expect(error?.description).toMatch(/^Nothing was sent\. Similar values: daylight_v2\.safetensors/);
		expect(submissions()).toBe(0);
	});

	it.each(['', null])('names the field Choice if it is empty, and submits nothing (%j)', async (value) => {
		const { error } = await submit(chosen({ __rl: true, mode: 'list', value }));
		expect(error?.message).toBe('Choice of Input 1 (Load Checkpoint · ckpt_name) is empty');
		expect(error?.description).toMatch(/Choose a value from the list, or set Value From to Text or Expression\./);
		expect(submissions()).toBe(0);
	});
});

it('a row that was saved without Value From shows and sends its Value', async () => {
	const { description } = nodes.comfySubmitWorkflow;
	const saved: INode = { id: '1', name: 'Submit', type: 'submit', typeVersion: 1, position: [0, 0], parameters: {} };
	const row = { input: CHECKPOINT, value: 'midnight_v1.safetensors' };
	const parameters = { inputs: { values: [row] } } as unknown as IDataObject;
	const filled = NodeHelpers.getNodeParameters(description.properties, parameters as INode['parameters'], true, false, saved, description);
	expect(filled?.inputs).toEqual({ values: [{ ...row, valueFrom: 'text' }] });
	expect(checkpointIn(await submit(parameters))).toBe('midnight_v1.safetensors');
});
