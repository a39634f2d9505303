import type { IDataObject } from 'n8n-workflow';

import { type NodeResult, runNode } from './support/engine';
import { downloadRun } from './support/files';
import { credentialFor } from './support/flavours';
import { colorGraph } from './support/graphs';
import { manageRun } from './support/manage';
import { finished, jsons } from './support/submit';
import { sharedSandbox } from './support/sandbox';

const sandbox = sharedSandbox();

const KEY = 'comfy+key/4f1c=90';

/** Reads a job whose answer has these fields besides its own. */
async function read(jobId: string, more: IDataObject, changes: IDataObject): Promise<NodeResult> {
	sandbox.inject({
		on: 'GET /api/v2/jobs/:id',
		answer: { status: 200, json: { id: jobId, status: 'succeeded', outputs: [], urls: {}, ...more } },
	});
	return await runNode(manageRun(credentialFor(sandbox, 'hosted', changes), 'job:get', { parameters: { jobId } }));
}

describe('F4: a secret that a server repeats in a successful answer', () => {
	it.each([
		['the Authorization header', `Bearer ${KEY}`],
		['the key', KEY],
		['the key in a sentence', `You sent ${KEY}, thanks`],
		['the key in an address', `https://example.test/?key=${encodeURIComponent(KEY)}`],
		['the key, encoded twice', encodeURIComponent(encodeURIComponent(KEY))],
		['the key in a JSON text', JSON.stringify({ key: KEY })],
	])('F4: is masked in a result (%s)', async (_, text) => {
		const result = await read('job-1', { echo: { [text]: [text, { deep: text }] }, service: text }, { apiKey: KEY });
		expect(result.error).toBeUndefined();
		expect(JSON.stringify(jsons(result)[0])).toContain('***');
		expect(decodeURIComponent(decodeURIComponent(result.stored))).not.toContain(KEY);
	});

	it('F4: is masked in the name of a file', async () => {
		const jobId = await finished(sandbox, colorGraph(1));
		const { apiKey } = sandbox.keys;
		const original = await runNode(downloadRun(credentialFor(sandbox), [jobId]));
		const output = (jsons(original)[0] as { output: IDataObject }).output;
		const json = { id: jobId, status: 'succeeded', urls: {}, outputs: [{ ...output, name: `${apiKey}-cat.png` }] };
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: { status: 200, json } });
		const result = await runNode(downloadRun(credentialFor(sandbox), [jobId]));
		expect(result.error).toBeUndefined();
		expect(result.outputs[0]?.[0]?.binary?.data?.fileName).toBe('***-cat.png');
		expect(result.stored).not.toContain(apiKey);
	});

	it.each([['portrait'], ['stable-diffusion'], ['127.0.0.1'], ['12345678']])(
		'F4: stays where it may be an ordinary word or number (%s)',
		async (word) => {
			const result = await read('job-1', { prompt: `a ${word} of a cat` }, { apiKey: word });
			expect(jsons(result)[0]).toMatchObject({ prompt: `a ${word} of a cat` });
		},
	);
});
