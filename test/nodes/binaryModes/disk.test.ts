import './diskMode';

import { runNode } from '../support/engine';
import { downloadRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { largeFileGraph } from '../support/media';
import { finished } from '../support/submit';
import { binaryModeSuite } from './suite';

const { sandbox } = binaryModeSuite('on disk');

it('an output larger than n8n could keep in memory is taken', async () => {
	const jobId = await finished(sandbox(), largeFileGraph(300));
	const { status, outputs } = await runNode(downloadRun(credentialFor(sandbox()), [jobId]));
	expect(status).toBe('success');
	expect(outputs[0]?.[0]?.binary?.data).toMatchObject({ fileSize: '315 MB', fileName: expect.stringMatching(/^large_.*\.bin$/) });
});
