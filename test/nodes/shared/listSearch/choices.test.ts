import type { IDataObject, INodeListSearchResult } from 'n8n-workflow';

import { clock } from '../../../../client/async/clock';
import * as graphs from '../../../support/graphs';
import { editorContext } from '../../support/editor';
import { type Credential, nodes } from '../../support/engine';
import { credentialFor, type Way, ways } from '../../support/flavours';
import { sharedSandbox } from '../../support/sandbox';

const sandbox = sharedSandbox();

const CHECKPOINT = { input: { __rl: true, mode: 'name', value: '4.ckpt_name' } };
const CHECKPOINTS = ['v1-5-pruned-emaonly-fp16.safetensors', 'daylight_v2.safetensors', 'midnight_v1.safetensors'];

interface Given {
	row?: IDataObject;
	way?: Way;
	changes?: IDataObject;
	credential?: Credential | null;
	workflow?: unknown;
	node?: 'comfyRunWorkflow' | 'comfySubmitWorkflow';
	parameters?: IDataObject;
}

/** Opens the list *Choice* in the first row of *Inputs*. */
async function open(given: Given = {}, filter?: string, token?: string): Promise<INodeListSearchResult> {
	const {
		row = CHECKPOINT,
		way = 'bare_engine',
		credential = credentialFor(sandbox, way, given.changes),
		workflow = graphs.textToImage,
		node,
	} = given;
	const text = typeof workflow === 'string' ? workflow : JSON.stringify(workflow);
	const inputs = { values: [{ valueFrom: 'choice', ...row }] };
	const parameters = { workflowSource: 'json', workflow: text, inputs, ...given.parameters } as IDataObject;
	const name = node ?? 'comfyRunWorkflow';
	return await nodes[name].methods.listSearch.searchChoices.call(editorContext(name, parameters, credential ?? undefined), filter, token);
}
const valuesOf = ({ results }: INodeListSearchResult): unknown[] => results.map(({ value }) => value);
const byName = (value: string): IDataObject => ({ input: { __rl: true, mode: 'name', value } });

const UNKNOWN_CLASS = { '1': graphs.node('Missing', 'M', { a: 'b' }) };

const answer = (options: unknown[]) => ({
	on: 'GET /api/object_info/CheckpointLoaderSimple',
	times: Infinity,
	answer: { status: 200, json: { CheckpointLoaderSimple: { input: { required: { ckpt_name: [options] } } } } },
});

describe('the list of choices of a row', () => {
	it.each(ways.filter((way) => way !== 'deployment'))('has the models of the server for the input of the row (%s)', async (way) => {
		expect(valuesOf(await open({ way }))).toEqual(CHECKPOINTS);
	});

	it('belongs to the row that opens it', async () => {
		const editor = editorContext(
			'comfyRunWorkflow',
			{ workflowSource: 'json', workflow: JSON.stringify(graphs.textToImage), inputs: { values: [CHECKPOINT, byName('3.sampler_name')] } },
			credentialFor(sandbox, 'bare_engine'),
		);
		Object.assign(editor, { path: 'parameters.inputs.values[1].choice' });
		expect(valuesOf(await nodes.comfyRunWorkflow.methods.listSearch.searchChoices.call(editor))).toContain('euler');
	});

	it('has the files that an input takes, and the two values of a switch', async () => {
		const switched = { '1': graphs.node('Switched', 'Switch', { on: true }) };
		sandbox.inject({
			on: 'GET /api/object_info/Switched',
			answer: { status: 200, json: { Switched: { input: { required: { on: ['BOOLEAN', {}] } } } } },
		});
		expect(valuesOf(await open({ workflow: switched, row: byName('1.on') }))).toEqual(['true', 'false']);
		const files = { '1': graphs.node('LoadImage', 'Picture', { image: 'room.png' }) };
		const offered = { LoadImage: { input: { required: { image: [['fox.png', 'room.png'], { image_upload: true }] } } } };
		sandbox.inject({ on: 'GET /api/object_info/LoadImage', answer: { status: 200, json: offered } });
		expect(valuesOf(await open({ workflow: files, row: byName('1.image') }))).toEqual(['fox.png', 'room.png']);
	});

	it('shows a model that was just added, and asks once while the user types', async () => {
		const credential = credentialFor(sandbox, 'bare_engine', { token: 'added' });
		sandbox.inject(answer(['a.safetensors']));
		for (const filter of ['', 'a', 'a.']) expect(valuesOf(await open({ credential }, filter))).toEqual(['a.safetensors']);
		expect(sandbox.requests('GET /api/object_info/:name')).toHaveLength(1);
		sandbox.clearFaults();
		sandbox.inject(answer(['a.safetensors', 'b.safetensors']));
		const now = clock.now.bind(clock);
		jest.spyOn(clock, 'now').mockImplementation(() => now() + 6_000);
		expect(valuesOf(await open({ credential }))).toEqual(['a.safetensors', 'b.safetensors']);
	});

	it('begins with the value of the row after another credential was chosen, because n8n would remove it otherwise', async () => {
		const choice = { __rl: true, mode: 'list', value: 'of_old.safetensors', cachedResultName: 'of_old.safetensors' };
		const { results } = await open({ row: { ...CHECKPOINT, choice } });
		expect(results.map(({ value }) => value)).toEqual(['of_old.safetensors', ...CHECKPOINTS]);
	});

	it('pages 10,000 models and leaves out a name that n8n would run as an expression', async () => {
		const names = Array.from({ length: 10_000 }, (_, index) => `style_${index}.safetensors`);
		sandbox.inject(answer(['={{ $env }}', ...names]));
		const credential = credentialFor(sandbox, 'bare_engine', { token: 'many' });
		const first = await open({ credential });
		expect(valuesOf(first)).toEqual(names.slice(0, 200));
		expect(valuesOf(await open({ credential }, '', first.paginationToken as string))[0]).toBe('style_200.safetensors');
		expect(valuesOf(await open({ credential }, 'STYLE 9999'))).toEqual(['style_9999.safetensors']);
	});

	it.each<[string, Given, RegExp]>([
		['no input is chosen', { row: byName('') }, /^Input of this row is empty/],
		['n8n passes no rows', { parameters: { inputs: null } }, /^n8n could not read the rows of Inputs/],
		['the input comes from an expression', { row: byName('={{ $json.input }}') }, /^Input of this row is an expression/],
		['the workflow lost the input', { row: byName('99.gone') }, /^The workflow does not have the input of this row/],
		['the input takes any text', { row: byName('6.text') }, /has no list of choices/],
		['the workflow is empty', { workflow: '{}' }, /^Workflow is empty/],
		['the server does not respond', { changes: { baseUrl: 'http://127.0.0.1:9' } }, /the connection was refused\. \w/],
		['no credential is chosen', { credential: null }, /^No credential is chosen\. Choose a credential at the top/],
		['a deployment is chosen', { way: 'deployment' }, /^A deployment does not report the choices/],
		['the server does not have the class', { workflow: UNKNOWN_CLASS, row: byName('1.a') }, /does not have the node class Missing/],
	])('says why it is empty if %s', async (_, given, words) => {
		expect((await open(given)).results).toEqual([{ name: expect.stringMatching(words), value: '' }]);
	});
});
