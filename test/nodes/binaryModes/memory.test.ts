import './memoryMode';

import { Readable } from 'node:stream';

import type { IDataObject } from 'n8n-workflow';

import { MEMORY_LIMIT } from '../../../nodes/shared/files/storeFile';
import { serve } from '../../client/support/server';
import { runNode } from '../support/engine';
import { downloadRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { largeFileGraph } from '../support/media';
import { dataOf, jsonRun, routerCredential } from '../support/router';
import { finished } from '../support/submit';
import { binaryModeSuite } from './suite';

const MIB = 1024 * 1024;
const { sandbox } = binaryModeSuite('in memory');

describe('an output larger than n8n can keep in memory', () => {
	let jobId: string;
	beforeAll(async () => {
		jobId = await finished(sandbox, largeFileGraph(300));
	});

	const refused = async () => {
		const result = await runNode(downloadRun(credentialFor(sandbox), [jobId]));
		const served = sandbox.requests('* *', 'storage').reduce((sum, { responseBytes }) => sum + responseBytes, 0);
		return { ...result, served };
	};

	it('is rejected before the download, with the setting to change', async () => {
		expect(300 * MIB).toBeGreaterThan(MEMORY_LIMIT.bytes);
		const { status, error, served } = await refused();
		expect(status).toBe('error');
		expect(error?.message).toBe('"large_00001_.bin" is too large for n8n to keep in memory');
		expect(error?.description).toMatch(/N8N_DEFAULT_BINARY_DATA_MODE of n8n to filesystem/);
		expect(error?.context.itemIndex).toBe(0);
		expect(served).toBe(0);
	});

	/** The service does not say how large the output is, as a self-hosted one never does. */
	const hideSize = async (change: IDataObject = {}) => {
		const headers = { authorization: `Bearer ${sandbox.keys.apiKey}` };
		const job = (await (await fetch(`${sandbox.urls.hosted}/api/v2/jobs/${jobId}`, { headers })).json()) as { outputs: IDataObject[] };
		const json = { ...job, outputs: [{ ...job.outputs[0], size_bytes: 0, hash: null, ...change }] };
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: { status: 200, json } });
	};

	it('is rejected by the headers of the answer when only the storage knows the size', async () => {
		await hideSize();
		const { error, served } = await refused();
		expect(error?.description).toMatch(/N8N_DEFAULT_BINARY_DATA_MODE/);
		expect(served).toBeLessThan(16 * MIB);
	});

	it('is rejected at the limit when the size is unknown', async () => {
		const chunk = Buffer.alloc(MIB);
		let sent = 0;
		const server = await serve((_request, response) => {
			response.writeHead(200, { 'content-type': 'application/octet-stream' });
			const chunks = function* () {
				for (; sent < 400; sent++) yield chunk;
			};
			Readable.from(chunks(), { objectMode: false }).pipe(response);
		});
		await hideSize({ url: `${server.origin}/endless` });
		const { error } = await refused();
		await server.close();
		expect(error?.description).toMatch(/N8N_DEFAULT_BINARY_DATA_MODE/);
		expect(sent).toBeGreaterThan(287);
		expect(sent).toBeLessThan(320);
	});
});

it('a router result that n8n cannot keep in memory is rejected, with the setting to change and the run', async () => {
	const result = await runNode(jsonRun(routerCredential(sandbox), 'lab/large-json', { bytes: 289 * MIB }));
	expect(result.error?.message).toBe('"large-json.json" is too large for n8n to keep in memory');
	expect(result.error?.description).toMatch(/N8N_DEFAULT_BINARY_DATA_MODE/);
	expect(dataOf(result)).toMatchObject({ model: 'lab/large-json', request_id: expect.any(String), idempotency_key: expect.any(String) });
});
