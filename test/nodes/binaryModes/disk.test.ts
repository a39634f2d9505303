import './diskMode';

import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';

import { runNode } from '../support/engine';
import { downloadRun, storedFiles } from '../support/files';
import { credentialFor } from '../support/flavours';
import { largeFileGraph } from '../support/media';
import { finished } from '../support/submit';
import { binaryModeSuite } from './suite';

const { sandbox } = binaryModeSuite('on disk');

it('an output larger than the memory limit is saved, and nothing else is left in the store', async () => {
	// As where n8n's own default holds: then only a file shows where files are kept.
	delete process.env.N8N_DEFAULT_BINARY_DATA_MODE;
	const jobId = await finished(sandbox, largeFileGraph(300));
	const before = storedFiles();
	const { status, outputs } = await runNode(downloadRun(credentialFor(sandbox), [jobId]));
	expect(status).toBe('success');
	expect(outputs[0]?.[0]?.binary?.data).toMatchObject({ fileSize: '315 MB', fileName: expect.stringMatching(/^large_.*\.bin$/) });
	const path = Container.get(BinaryDataService).getPath(String(outputs[0]?.[0]?.binary?.data?.id));
	expect(storedFiles().filter((file) => file.includes('binary_data') && !before.includes(file))).toEqual([path, `${path}.metadata`]);
});
