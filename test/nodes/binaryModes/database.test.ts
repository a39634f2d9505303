import './databaseMode';

import { runNode } from '../support/engine';
import { downloadRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { largeFileGraph } from '../support/media';
import { finished } from '../support/submit';
import { keepInRemoteStore } from './remoteStore';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();
let jobId: string;
beforeAll(async () => {
	await keepInRemoteStore('database');
	jobId = await finished(sandbox, largeFileGraph(256));
});

const download = async () => await runNode(downloadRun(credentialFor(sandbox), [jobId]));

it('a file that n8n could not read again from PostgreSQL is rejected before the download, with the setting to change', async () => {
	const { status, error } = await download();
	expect(status).toBe('error');
	expect(error?.message).toBe('"large_00001_.bin" is too large for n8n to keep in PostgreSQL');
	expect(error?.description).toMatch(/255 MiB.*N8N_DEFAULT_BINARY_DATA_MODE of n8n to filesystem/);
	expect(sandbox.requests('* *', 'storage')).toEqual([]);
});

it('another database holds it', async () => {
	process.env.DB_TYPE = 'sqlite';
	const { outputs } = await download();
	expect(outputs[0]).toMatchObject([{ binary: { data: { fileSize: '268 MB' } } }]);
});
