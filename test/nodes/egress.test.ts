process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';

import { startSandbox } from '../../sandbox';
import { runNode } from './support/engine';
import { credentialFor } from './support/flavours';
import { colorGraph } from './support/graphs';
import { submitRun } from './support/submit';

it('where n8n limits which addresses nodes may reach, a forbidden one is not contacted and the message says so', async () => {
	const sandbox = await startSandbox();
	const { error } = await runNode(submitRun(credentialFor(sandbox), colorGraph(1)));
	expect(error?.message).toMatch(/n8n does not allow connections to http:\/\/127\.0\.0\.1/);
	expect(error?.description).toMatch(/administrator/);
	expect(sandbox.requests()).toEqual([]);
	await sandbox.close();
});
