import '../binaryModes/memoryMode';

import { runNode } from '../support/engine';
import { dataOf, jsonRun, routerCredential } from '../support/router';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

it('refuses what n8n cannot keep in memory, and names the setting and the run', async () => {
	const result = await runNode(jsonRun(routerCredential(sandbox), 'lab/large-json', { bytes: 289 * 1024 * 1024 }));
	expect(result.error?.message).toBe('"large-json.json" is too large for n8n to keep in memory');
	expect(result.error?.description).toMatch(/N8N_DEFAULT_BINARY_DATA_MODE/);
	expect(dataOf(result)).toMatchObject({ model: 'lab/large-json', request_id: expect.any(String), idempotency_key: expect.any(String) });
});
