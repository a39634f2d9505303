import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { bytesOf, type NodeRun, runNode } from '../support/engine';
import { fileItem, workflowRun } from '../support/files';
import { editorFile, exportedFile } from '../support/editorFiles';
import { credentialFor, type Way } from '../support/flavours';
import { colorGraph, slowGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons, submitRun, submitted, waitRun } from '../support/submit';

const sandbox = sharedSandbox();

let seed = 900;
const ROUTE = 'GET /api/v2/jobs/:id/workflow';
const hosted = () => credentialFor(sandbox);
const getWorkflow = async (jobId: string, parameters: IDataObject = {}) => await runNode(workflowRun(hosted(), [jobId], parameters));

describe('the workflow', () => {
	it.each(['hosted', 'self_hosted'] as const)(
		'of a job that was submitted comes back as it was sent, in format api (%s)',
		async (surface) => {
			const credential = credentialFor(sandbox, surface);
			const jobId = await finished(sandbox, colorGraph(1), credential);
			const result = await runNode(workflowRun(credential, [jobId]));
			expect(result.status).toBe('success');
			expect(jsons(result)).toEqual([
				{ job_id: jobId, interface: 'v2', status: 'succeeded', service_status: 'succeeded', format: 'api', workflow: colorGraph(1) },
			]);
			expect(result.outputs[0]?.[0]).not.toHaveProperty('binary.data');
			expect(result.outputs[0]?.[0]?.pairedItem).toEqual({ item: 0 });
		},
	);

	it('of a job pinned to a saved version is that version, in format save', async () => {
		const [item] = jsons(await getWorkflow(sandbox.seeds.pinnedJob));
		expect(item).toMatchObject({ job_id: sandbox.seeds.pinnedJob, status: 'succeeded', format: 'save' });
		expect(item?.workflow).toMatchObject({ last_node_id: 3, nodes: [{ type: 'EmptyImage' }, { type: 'SaveImage' }, { type: 'Note' }] });
	});

	it('keeps an unknown format and unknown fields', async () => {
		sandbox.inject({ on: ROUTE, answer: { status: 200, json: { workflow: { a: 1 }, format: 'compact', version: 7 } } });
		const [item] = jsons(await getWorkflow(sandbox.seeds.pinnedJob));
		expect(item).toMatchObject({ format: 'compact', version: 7, workflow: { a: 1 } });
	});

	it.each([
		['engine', false],
		['bare_engine', true],
	] as const)('of an ended, a running and a waiting job comes without extra data (%s, job routes: %s)', async (way, engineJobRoutes) => {
		sandbox.configure({ engineJobRoutes });
		const engine = credentialFor(sandbox, 'engine');
		const options = { extraData: { note: 'marker-extra' }, sendPartnerKey: true };
		const [ended] = jsons(await runNode(submitRun(engine, colorGraph(seed++), { parameters: { options } })));
		await runNode(waitRun(engine, [String(ended?.job_id)]));
		const jobIds = [String(ended?.job_id)];
		for (let count = 0; count < 2; count++) jobIds.push(await submitted(sandbox, slowGraph(3_000, 50, seed++), engine));
		const result = await runNode(workflowRun(credentialFor(sandbox, way), jobIds));
		expect(jsons(result)).toMatchObject(jobIds.map((job_id) => ({ job_id, interface: 'engine', format: 'api' })));
		expect(jsons(result).map(({ workflow }) => workflow)).toEqual(jobIds.map((id) => sandbox.job(id)?.graph));
		expect(result.stored).not.toMatch(/marker-extra|client_id/);
		expect(result.stored).not.toContain(sandbox.keys.partnerKey);
		await runNode(
			manageRun(engine, 'job:cancel', { parameters: { jobId: '={{ $json.id }}' }, items: jobIds.slice(1).map((id) => ({ json: { id } })) }),
		);
	});
});

it('each item has its own workflow and its own form of it, and a file is named after job and format', async () => {
	const workflow = {
		'1': { class_type: 'PrimitiveString', inputs: { value: 'ein süßer 狐 🦊' } },
		'2': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } },
	};
	const sent = await submitted(sandbox, workflow);
	const { pinnedJob, deletedVersionJob } = sandbox.seeds;
	const items = [
		{ job_id: pinnedJob, outputAs: 'json' },
		{ job_id: pinnedJob, outputAs: 'file', field: 'data' },
		{ job_id: deletedVersionJob, outputAs: 'json' },
		{ job_id: deletedVersionJob, outputAs: 'file', field: 'graph' },
		{ job_id: sent, outputAs: 'text' },
		{ job_id: sent, outputAs: 'file', field: 'graph' },
		{ job_id: pinnedJob, outputAs: 'json', converts: true },
	].map((json) => ({ json }));
	const parameters = {
		outputAs: '={{ $json.outputAs }}',
		binaryPropertyName: '={{ $json.field }}',
		convertToApi: '={{ $json.converts ?? false }}',
	};
	const { outputs } = await runNode({ ...workflowRun(hosted(), [], parameters), items });
	const [inSave, saveFile, inApi, apiFile, text, sentFile, converted] = outputs[0] ?? [];
	const files = [
		[saveFile, 'data', `${pinnedJob}.save.json`, inSave?.json.workflow],
		[apiFile, 'graph', `${deletedVersionJob}.api.json`, inApi?.json.workflow],
		[sentFile, 'graph', `${sent}.api.json`, workflow],
	] as const;
	for (const [item, field, name, content] of files) {
		expect(item?.json).toMatchObject({ interface: 'v2', file_name: name });
		expect(item?.json).not.toHaveProperty('workflow');
		expect(item?.binary).toMatchObject({ [field]: { fileName: name, mimeType: 'application/json', fileExtension: 'json' } });
		expect(Object.keys(item?.binary ?? {})).toEqual([field]);
		expect(JSON.parse(String(await bytesOf(item, field)))).toEqual(content);
	}
	expect(JSON.parse(String(text?.json.workflow_text))).toEqual(workflow);
	expect(inSave?.json).toMatchObject({ format: 'save' });
	expect(converted?.json).toMatchObject({ format: 'api', converted_from: 'save' });
});

const get = async (parameters: IDataObject, way: Way = 'engine', more: Partial<NodeRun> = {}) =>
	await runNode({ node: 'comfyGetWorkflow', credential: credentialFor(sandbox, way), items: [{ json: {} }], ...more, parameters });
const job = (id: string): IDataObject => ({ jobId: { mode: 'id', value: id } });
const json = (workflow: unknown): IDataObject => ({
	workflowSource: 'json',
	workflow: typeof workflow === 'string' ? workflow : JSON.stringify(workflow),
});
const CONVERT = { convertToApi: true };

describe('Convert To API Format', () => {
	it('turns what a job was saved as into what ComfyUI runs (hosted)', async () => {
		const [item] = jsons(await get({ ...job(sandbox.seeds.pinnedJob), ...CONVERT }, 'hosted'));
		expect(item).toMatchObject({
			job_id: sandbox.seeds.pinnedJob,
			format: 'api',
			converted_from: 'save',
			workflow: {
				1: { class_type: 'EmptyImage', inputs: { width: expect.any(Number) } },
				2: { class_type: 'SaveImage', inputs: { images: ['1', 0] } },
			},
		});
		expect(item).not.toHaveProperty('not_converted');
	});

	it.each<Way>(['v1', 'engine'])('changes nothing when the workflow has that format (%s)', async (way) => {
		const jobId = await finished(sandbox, colorGraph(1), credentialFor(sandbox, way));
		sandbox.resetRecords();
		const [item] = jsons(await get({ ...job(jobId), ...CONVERT }, way));
		expect(item).toMatchObject({ job_id: jobId, format: 'api', workflow: colorGraph(1) });
		expect(item).not.toHaveProperty('converted_from');
		expect(sandbox.requests().filter(({ path }) => path.includes('object_info'))).toEqual([]);
	});

	it('keeps the workflow of a deployment as it is, and the item says why', async () => {
		const [item] = jsons(await get({ ...json(editorFile(3)), ...CONVERT }, 'deployment'));
		expect(item).toMatchObject({
			format: 'save',
			workflow: editorFile(3),
			not_converted: expect.stringContaining('does not provide node definitions'),
		});
		expect(item?.not_converted).toContain('Export (API)');
	});
});

describe('Workflow From', () => {
	it('Saved In ComfyUI: by name, as it is saved or converted', async () => {
		await fetch(`${sandbox.urls.engine}/api/userdata/workflows%2Fkept%2Fone.json?overwrite=true`, {
			method: 'POST',
			body: JSON.stringify(editorFile(3)),
		});
		const from = { workflowSource: 'saved', savedWorkflow: { mode: 'name', value: 'kept/one' } };
		expect(jsons(await get(from))).toEqual([{ workflow_name: 'kept/one', format: 'save', workflow: editorFile(3) }]);
		expect(jsons(await get({ ...from, ...CONVERT }))).toMatchObject([
			{ workflow_name: 'kept/one', format: 'api', workflow: exportedFile(3) },
		]);
		const { outputs } = await get({ ...from, outputAs: 'file' });
		expect(outputs[0]?.[0]?.json.file_name).toBe('one.save.json');
	});

	const fromFile = async (content: Buffer, more: IDataObject = {}) =>
		await get({ workflowSource: 'file', workflowBinaryField: 'data', ...more }, 'engine', { items: [fileItem(content)] });
	const stored = async (name: string) => await readFile(join(__dirname, '../../client/graph/embedded/files', name));

	it('File returns the workflow inside a picture, and reports numbers that JSON does not have', async () => {
		expect(jsons(await fromFile(await stored('saved.png')))[0]).toMatchObject({
			format: 'api',
			workflow: { 3: { class_type: 'KSampler', inputs: { seed: '18446744073709551615' } } },
		});
		expect(jsons(await fromFile(await stored('no-numbers.png')))[0]).toMatchObject({
			format: 'api',
			conversion_notes: [
				'2 values of the file are NaN or Infinity, which JSON does not allow. The workflow contains null instead, which ComfyUI rejects for a number.',
			],
		});
		const odd = JSON.stringify(editorFile(3)).replace('"config":{}', '"config":{"scale":NaN}').replace('[16,8,1,3]', '[16,8,true,3]');
		expect(jsons(await fromFile(Buffer.from(odd), CONVERT))[0]).toMatchObject({
			converted_from: 'save',
			conversion_notes: [expect.stringMatching(/^1 value.*NaN/), expect.stringMatching(/batch_size/)],
		});
	});
});
