import '../binaryModes/memoryMode';

import { bytesOf, runNode } from '../support/engine';
import { dataOf, jsonRun, routerCredential } from '../support/router';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const run = async (model: string, input: unknown, parameters = {}) =>
	await runNode(jsonRun(routerCredential(sandbox), model, input, { parameters }));

it('keeps small bytes in the item', async () => {
	const item = (await run('lab/speech', { text: 'Hello' })).outputs[0]?.[0];
	expect((await bytesOf(item)).subarray(0, 4).toString()).toBe('RIFF');
	expect(item?.binary?.data?.id).toBeUndefined();
});

it('refuses what n8n cannot keep in memory, and names the setting and the run', async () => {
	const result = await run('lab/large-json', { bytes: 289 * 1024 * 1024 });
	expect(result.error?.message).toBe('"large-json.json" is too large to be kept in memory by n8n');
	expect(result.error?.description).toMatch(/N8N_DEFAULT_BINARY_DATA_MODE/);
	expect(dataOf(result)).toMatchObject({ model: 'lab/large-json', request_id: expect.any(String), idempotency_key: expect.any(String) });
});
