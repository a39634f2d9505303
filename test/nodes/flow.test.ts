import type { IDataObject } from 'n8n-workflow';

import { bytesOf, runNode } from './support/engine';
import { downloadRun, fileItem, uploadRun, workflowRun } from './support/files';
import { credentialFor, interfaceOf, isOfEngine, type Way, ways } from './support/flavours';
import { invertGraph } from './support/graphs';
import { LARGEST_SEED, LONG_NUMBERS, longNumberGraph, packed } from './support/longNumbers';
import { expectInverted, freshPicture } from './support/inputImages';
import { sharedSandbox } from './support/sandbox';
import { jsons, submitRun, waitRun } from './support/submit';

const sandbox = sharedSandbox();

/** v1 keeps files by their content, and names them so. */
const FILE_NAME = { v2: /^inverted.*\.png$/, v1: /^[0-9a-f]{64}\.png$/, engine: /^inverted.*\.png$/ };

const uploadKeys: Partial<Record<Way, string[]>> = {};
const doneKeys: Partial<Record<Way, string[]>> = {};
const outputKeys: Partial<Record<Way, string[]>> = {};

/** The same nodes and settings everywhere; only the credential differs, or the field Interface. */
describe.each(ways)('over %s', (way) => {
	it('upload, submit, wait, get workflow and download return the inverted picture', async () => {
		const credential = credentialFor(sandbox, way);
		const content = await freshPicture();
		const upload = await runNode(uploadRun(credential, [fileItem(content)]));
		expect(jsons(upload)[0]).toMatchObject({ interface: interfaceOf(way), uploaded: true, bytes_sent: content.length });
		const inputFiles = { values: ['Picture', 'Mask'].map((title) => ({ input: `${title} · image`, reference: '={{ $json.reference }}' })) };
		const mask = { class_type: 'LoadImage', _meta: { title: 'Mask' }, inputs: { image: 'mask.png' } };
		const graph = { ...invertGraph(), '4': mask };
		const submit = await runNode(submitRun(credential, graph, { items: upload.outputs[0], parameters: { inputFiles } }));
		const jobId = String(jsons(submit)[0]?.job_id);
		const sent = sandbox.job(jobId)?.graph;
		expect(sent?.['4']?.inputs.image).toEqual(sent?.['1']?.inputs.image);

		const wait = await runNode(waitRun(credential, [jobId]));
		expect(wait.status).toBe('success');
		const [done] = jsons(wait);
		expect(done).toMatchObject({
			job_id: jobId,
			interface: interfaceOf(way),
			status: 'succeeded',
			job_error: null,
			outputs: [{ node_id: '3', type: 'image' }],
		});
		expect(done).not.toHaveProperty('error');
		uploadKeys[way] = Object.keys(jsons(upload)[0] ?? {});
		doneKeys[way] = Object.keys(done ?? {});
		outputKeys[way] = Object.keys((done?.outputs as object[])[0] ?? {});

		const workflow = await runNode(workflowRun(credential, [jobId], { outputAs: 'json' }));
		expect(jsons(workflow)[0]).toMatchObject({
			job_id: jobId,
			format: 'api',
			status: 'succeeded',
			workflow: { '2': { class_type: 'ImageInvert' } },
		});

		const download = await runNode(downloadRun(credential, [jobId]));
		const item = download.outputs[0]?.[0];
		expect(item?.json).toMatchObject({ job_id: jobId, interface: interfaceOf(way), output: { node_id: '3', binary_field: 'data' } });
		expect(item?.binary?.data).toMatchObject({ mimeType: 'image/png', fileName: expect.stringMatching(FILE_NAME[interfaceOf(way)]) });
		await expectInverted(download, content);
	});
});

it.each(['v1', 'engine', 'bare_engine'] as const)('items have the same fields over %s as over v2', (way) => {
	for (const keys of [uploadKeys, doneKeys, outputKeys]) {
		expect(keys.hosted?.length).toBeGreaterThan(5);
		expect((keys.hosted ?? []).filter((key) => !keys[way]?.includes(key))).toEqual([]);
	}
});

const submissionsOf = (way: Way) =>
	sandbox.requests(isOfEngine(way) || way === 'v1' ? 'POST /api/prompt' : 'POST /api/v2/jobs', isOfEngine(way) ? 'engine' : undefined);
/** The latest submission, as it came over the wire. */
const sentBody = (way: Way): string => packed(submissionsOf(way).at(-1)?.bodyText ?? '');

async function submit(way: Way, workflow: unknown, parameters: IDataObject = {}, items: IDataObject[] = [{}]) {
	return await runNode(submitRun(credentialFor(sandbox, way), workflow, { parameters, items: items.map((json) => ({ json })) }));
}

async function finishedJob(way: Way, workflow: string): Promise<string> {
	const submitted = await submit(way, workflow);
	expect(submitted.error?.message).toBeUndefined();
	const jobId = String(jsons(submitted)[0]?.job_id);
	const waited = await runNode(waitRun(credentialFor(sandbox, way), [jobId]));
	expect(jsons(waited)).toMatchObject([{ status: 'succeeded' }]);
	return jobId;
}

const getWorkflow = async (way: Way, jobId: string, outputAs: string) =>
	await runNode(workflowRun(credentialFor(sandbox, way), [jobId], { outputAs }));

describe.each(['hosted', 'v1', 'engine'] as const)('over %s', (way) => {
	it('every digit of a workflow reaches the service and comes back', async () => {
		const graph = longNumberGraph(LARGEST_SEED, `Sampler ${way}`);
		const jobId = await finishedJob(way, graph);
		expect(sentBody(way)).toContain(packed(graph));

		const [text] = jsons(await getWorkflow(way, jobId, 'text'));
		expect(text).toMatchObject({ job_id: jobId, format: 'api', workflow_text: packed(graph).replace(`Sampler${way}`, `Sampler ${way}`) });
		expect(text).not.toHaveProperty('workflow');

		const file = await getWorkflow(way, jobId, 'file');
		expect(packed(String(await bytesOf(file.outputs[0]?.[0])))).toBe(packed(graph));

		const [json] = jsons(await getWorkflow(way, jobId, 'json'));
		expect(json?.workflow).toMatchObject({ '2': { inputs: { seed: LARGEST_SEED, steps: 1, note: { ...LONG_NUMBERS, plain: 0.5 } } } });
	});
});

describe('a graph that an expression has made an object of', () => {
	const items = [{ graph: JSON.parse(longNumberGraph()) as IDataObject }];

	it('is rejected with the name of the input before anything is sent', async () => {
		const { status, error } = await submit('hosted', '={{ $json.graph }}', {}, items);
		expect(status).toBe('error');
		expect(error?.message).toBe('Input "seed" of node 2 (Sampler) has lost digits: the object contains 18446744073709552000');
		expect(error?.description).toMatch(
			/^Nothing was sent\..*as text or as a file.*Input Values, for example \{"2": \{"seed": "18446744073709551615"\}\}/,
		);
		expect(error?.context.itemIndex).toBe(0);
		expect(submissionsOf('hosted')).toEqual([]);
	});
});
