import { type IDataObject, type INode, NodeHelpers } from 'n8n-workflow';

import type { ApiGraph } from '../../../../client';
import { clock } from '../../../../client/async/clock';
import * as graphs from '../../../support/graphs';
import { type Credential, type NodeResult, type NodeRun, nodes, runNode } from '../../support/engine';
import { credentialFor, type Way, ways } from '../../support/flavours';
import { jsons, submitRun } from '../../support/submit';
import { sharedSandbox } from '../../support/sandbox';

const sandbox = sharedSandbox();
const other = sharedSandbox();

/** What the sandbox draws from. */
const drawn: ApiGraph = {
	...graphs.textToImage,
	'4': graphs.node('CheckpointLoaderSimple', 'Load Checkpoint', { ckpt_name: 'daylight_v2.safetensors' }),
	'5': graphs.node('EmptyLatentImage', 'Canvas', { width: 16, height: 16, batch_size: 1 }),
	'6': graphs.node('CLIPTextEncode', 'Positive', { text: 'a lighthouse', clip: ['4', 1] }),
	'7': graphs.node('CLIPTextEncode', 'Negative', { text: 'blurry', clip: ['4', 1] }),
	'3': graphs.node('KSampler', 'Sampler', { ...graphs.textToImage['3']?.inputs, steps: 2 }),
};

const listed = (value: string, label?: string): IDataObject => ({
	__rl: true,
	mode: 'list',
	value,
	...(label !== undefined && { cachedResultName: label }),
});
const named = (value: string): IDataObject => ({ __rl: true, mode: 'name', value });
const rows = (...values: Array<[input: unknown, value: unknown]>): IDataObject =>
	({ inputs: { values: values.map(([input, value]) => ({ input, value })) } }) as IDataObject;

const submit = async (parameters: IDataObject, { way = 'hosted', ...more }: { way?: Way } & Partial<NodeRun> = {}): Promise<NodeResult> =>
	await runNode(submitRun(credentialFor(sandbox, way), JSON.stringify(drawn), { ...more, parameters }));
const sentOf = (result: NodeResult, index = 0): ApiGraph => {
	if (result.status !== 'success') throw new Error(`${result.error?.message}. ${result.error?.description}`);
	return sandbox.job(String(jsons(result)[index]?.job_id))?.graph as ApiGraph;
};
const submissions = () =>
	[...sandbox.requests('POST /api/v2/jobs'), ...sandbox.requests('POST /prompt'), ...sandbox.requests('POST /api/prompt')].length;

describe('rows', () => {
	it('start with an empty row that changes nothing and shows no issue', async () => {
		const { description } = nodes.comfyRunWorkflow;
		const fresh: INode = { id: '1', name: 'Run', type: 'run', typeVersion: 1, position: [0, 0], parameters: {} };
		fresh.parameters = NodeHelpers.getNodeParameters(description.properties, {}, true, false, fresh, description) ?? {};
		expect(fresh.parameters.inputs).toMatchObject({ values: [{ input: { mode: 'list', value: '' }, value: '' }] });
		expect(NodeHelpers.getNodeParametersIssues(description.properties, fresh, description)).toBeNull();
		expect(sentOf(await submit({ inputs: fresh.parameters.inputs } as IDataObject))['6']?.inputs.text).toBe('a lighthouse');
		expect(sentOf(await submit({ inputs: undefined }))['6']?.inputs.text).toBe('a lighthouse');
	});

	it('set values in the type of each input, for each item', async () => {
		const result = await submit(
			rows(
				[listed('6.text', 'Positive · text (was "a lighthouse")'), '={{ $json.prompt }}'],
				[named('Sampler · seed'), '={{ $json.seed }}'],
				[named('Canvas.width'), ' 32 '],
				[listed('3.cfg'), 7.5],
				[named('7.text'), '=not {{ $json.prompt }}'],
			),
			{ items: [{ json: { prompt: 'a fox', seed: '18446744073709551615' } }, { json: { prompt: 12, seed: 5 } }] },
		);
		expect(sentOf(result)).toMatchObject({
			'6': { inputs: { text: 'a fox', clip: ['4', 1] } },
			'5': { inputs: { width: 32 } },
			'3': { inputs: { cfg: 7.5 } },
			'7': { inputs: { text: 'not a fox' } },
		});
		expect(JSON.stringify(sentOf(result)['3'])).toContain('18446744073709551615');
		expect(sentOf(result, 1)).toMatchObject({ '6': { inputs: { text: '12' } }, '3': { inputs: { seed: 5 } } });
	});

	it('take precedence over Input Values, which still apply to other inputs', async () => {
		const result = await submit({
			...rows([named('6.text'), 'of the row']),
			options: { inputValues: '{"6": {"text": "of the JSON"}, "Negative": {"text": "of the JSON"}}' },
		});
		expect(sentOf(result)).toMatchObject({ '6': { inputs: { text: 'of the row' } }, '7': { inputs: { text: 'of the JSON' } } });
	});

	it.each<[string, IDataObject]>([
		['that stands there', rows([named('7.text'), ''])],
		['of an expression', rows([named('7.text'), '={{ $json.none }}'])],
		['that was never entered', { inputs: { values: [{ input: named('7.text') }] } } as IDataObject],
	])('accept an empty text %s, which empties a prompt', async (_name, parameters) => {
		expect(sentOf(await submit(parameters, { items: [{ json: { none: '' } }] }))['7']?.inputs.text).toBe('');
	});
});

describe('a row is rejected before anything is sent', () => {
	const MISSING = listed('44.text', 'Old Prompt · text (was "gone")');
	it.each<[what: string, parameters: IDataObject, message: RegExp]>([
		['whose input is gone', rows([named('6.text'), 'x'], [MISSING, 'y']), /^Input 2 \(Old Prompt · text\): .* no input "44\.text"/],
		['whose name is misspelt', rows([named('Positve · text'), 'x']), /^Input 1 .* no input "Positve · text".*6\.text \(Positive · text\)/s],
		['whose input is linked', rows([named('Positive · clip'), 'x']), /^Input 1 .* from node 4 \(Load Checkpoint\).*4\.ckpt_name/s],
		['that is not chosen', rows([named('6.text'), 'x'], [listed(''), 'x']), /^Input 2 is not chosen/],
		['of the wrong type', rows([named('3.seed'), '1,5']), /^Input 1 \(Sampler · seed\) needs a whole number, not "1,5"/],
		['with an object for a text', rows([named('6.text'), '={{ $json }}']), /^Input 1 .* needs a text, not an object.*JSON\.stringify/s],
		['with a comma', rows([named('3.cfg'), '7,5']), /needs a number, not "7,5".*Use a point in decimal numbers/s],
		['whose expression finds nothing', rows([named('6.text'), '={{ $json.nothing }}']), /^Value of Input 1 \(Positive · text\) is empty/],
		['with nothing for a number', rows([named('3.steps'), '']), /^Value of Input 1 \(Sampler · steps\) is empty/],
		[
			'whose number has lost digits',
			rows([named('3.seed'), '={{ 18446744073709551615 }}']),
			/^Input 1 \(Sampler · seed\) has lost digits: n8n has rounded it to 18446744073709552000.*Enter it as text/s,
		],
		[
			'that sets what another sets',
			rows([named('6.text'), 'x'], [named('Positive.text'), 'y']),
			/^Input 1 and Input 2 set the same input: Positive · text \(6\.text\)/,
		],
		[
			'whose id another node has now',
			rows([listed('7.text', 'Positive · text (was "a lighthouse")'), 'x']),
			/^Input 1 \(Positive · text\): 7\.text is "Negative · text".*"Positive · text" is now 6\.text/s,
		],
	])('%s', async (_name, parameters, message) => {
		const { error } = await submit(parameters, { items: [{ json: { a: 1 } }] });
		expect(`${error?.message}\n${error?.description}`).toMatch(message);
		expect(error?.context.itemIndex).toBe(0);
		expect(submissions()).toBe(0);
	});

	it('but not when the node was only renamed', async () => {
		expect(sentOf(await submit(rows([listed('6.text', 'What I Called It · text (was "x")'), 'y'])))['6']?.inputs.text).toBe('y');
	});
});

describe('ranges and choices', () => {
	const engines: Way[] = ['bare_engine', 'engine', 'v1'];

	it.each(engines)('are checked when definitions are available (%s)', async (way) => {
		const range = await submit(rows([named('3.steps'), '0']), { way });
		expect(range.error?.message).toBe('Input 1 (Sampler · steps) is out of range: 0');
		expect(range.error?.description).toMatch(/must be between 1 and 10000/);
		const choice = await submit(rows([named('3.sampler_name'), 'eulr']), { way });
		expect(choice.error?.message).toBe('Input 1 (Sampler · sampler_name) does not offer the value "eulr"');
		expect(choice.error?.description).toMatch(/Similar values: euler/);
		const whole = await submit(rows([named('3.steps'), '2.5']), { way });
		expect(whole.error?.message).toMatch(/needs a whole number, not "2.5"/);
		expect(submissions()).toBe(0);
		expect(sentOf(await submit(rows([named('3.sampler_name'), ' EULER ']), { way }))['3']?.inputs.sampler_name).toBe('euler');
	});

	it('cost one request for all items of a run, and none for prompts and seeds', async () => {
		const credential: Credential = credentialFor(sandbox, 'bare_engine', { token: '', engineAuthorizationSecret: '' });
		const fresh = { ...credential, data: { ...credential.data, partnerApiKey: `another-${Math.random()}` } };
		const count = async (values: IDataObject) => {
			sandbox.resetRecords();
			await runNode(
				submitRun(fresh, JSON.stringify(drawn), {
					items: Array.from({ length: 20 }, (_, index) => ({ json: { index } })),
					parameters: values,
				}),
			);
			return sandbox.requests().filter(({ path }) => path.includes('object_info')).length;
		};
		expect(
			await count(
				rows([named('6.text'), '=prompt {{ $json.index }}'], [named('3.seed'), '={{ $json.index }}'], [named('9.filename_prefix'), 'x']),
			),
		).toBe(0);
		expect(await count(rows([named('3.steps'), '={{ $json.index + 1 }}'], [named('3.cfg'), '2']))).toBe(1);
		expect(await count(rows([named('3.steps'), '={{ $json.index + 2 }}']))).toBe(0);
	});
});

const CHECKPOINT = listed('4.ckpt_name', 'Load Checkpoint · ckpt_name (was "x")');
const chosen = (choice: unknown, more: IDataObject = {}): IDataObject =>
	({ inputs: { values: [{ input: CHECKPOINT, valueFrom: 'choice', choice, ...more }] } }) as IDataObject;
const fromList = (value: string): IDataObject => listed(value, value);
const checkpointIn = (result: NodeResult): unknown => sentOf(result)['4']?.inputs.ckpt_name;

describe('a row with Value From set to Choice', () => {
	it.each(ways)('puts the chosen value into the workflow (%s)', async (way) => {
		expect(checkpointIn(await submit(chosen(fromList('midnight_v1.safetensors')), { way }))).toBe('midnight_v1.safetensors');
	});

	it('takes a name, or an expression that finds one', async () => {
		const byExpression = chosen({ __rl: true, mode: 'name', value: '={{ $json.model }}' });
		const items = [{ json: { model: 'midnight_v1.safetensors' } }];
		expect(checkpointIn(await submit(byExpression, { way: 'bare_engine', items }))).toBe('midnight_v1.safetensors');
	});

	it('ignores the hidden field Value', async () => {
		expect(checkpointIn(await submit(chosen(fromList('midnight_v1.safetensors'), { value: 'of before' }), { way: 'bare_engine' }))).toBe(
			'midnight_v1.safetensors',
		);
	});

	it('takes a model that was just added, in the second of two rows', async () => {
		const credential = credentialFor(sandbox, 'bare_engine', { partnerApiKey: 'added in a run', moreSettings: true });
		const steps = { input: named('3.steps'), valueFrom: 'text', value: '1' };
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

	it('takes what each of two servers offers', async () => {
		const models = ['only_here.safetensors', 'only_there.safetensors'];
		for (const [index, one] of [sandbox, other].entries()) {
			const json = { CheckpointLoaderSimple: { input: { required: { ckpt_name: [[models[index]]] } } } };
			one.inject({ on: 'GET /api/object_info/CheckpointLoaderSimple', surface: 'engine', times: 2, answer: { status: 200, json } });
		}
		for (const [index, one] of [sandbox, other].entries())
			for (const model of models) {
				const credential = credentialFor(one, 'bare_engine', { partnerApiKey: 'of two servers' });
				const { error } = await runNode(submitRun(credential, JSON.stringify(drawn), { parameters: chosen(fromList(model)) }));
				expect(error?.message.includes('does not offer the value')).toBe(model !== models[index]);
			}
	});

	it('names the nearest choices if the server no longer has the value, and submits nothing', async () => {
		const { error } = await submit(chosen(fromList('daylight_v1.safetensors')), { way: 'bare_engine' });
		expect(error?.message).toBe('Input 1 (Load Checkpoint · ckpt_name) does not offer the value "daylight_v1.safetensors"');
		expect(error?.description).toMatch(/^Nothing was sent\. Similar values: daylight_v2\.safetensors/);
		expect(submissions()).toBe(0);
	});

	it.each(['', null])('names the field Choice if it is empty, and submits nothing (%j)', async (value) => {
		const { error } = await submit(chosen({ __rl: true, mode: 'list', value }), { way: 'bare_engine' });
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
	expect(checkpointIn(await submit(parameters, { way: 'bare_engine' }))).toBe('midnight_v1.safetensors');
});
