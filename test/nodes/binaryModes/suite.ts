import { randomBytes } from 'node:crypto';

import { blake3 } from '@noble/hashes/blake3';
import type { INodeExecutionData } from 'n8n-workflow';

import type { Sandbox } from '../../../sandbox/types';
import { bytesOf, runNode } from '../support/engine';
import { downloadRun, fileItem, uploadRun, workflowRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { everyKindGraph, KINDS, MEDIA } from '../support/media';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons, submitRun } from '../support/submit';

const ID_OF = { 'in memory': undefined, 'on disk': /^filesystem-v2:/, 'in a remote store': /^s3:/ };

/** What must hold wherever n8n keeps files. */
export function binaryModeSuite(keeping: keyof typeof ID_OF): { sandbox: Sandbox } {
	const sandbox = sharedSandbox();

	const hashOf = (content: Buffer) => `blake3:${Buffer.from(blake3(content)).toString('hex')}`;
	const expectKept = (item: INodeExecutionData | undefined, field = 'data') => {
		const file = item?.binary?.[field];
		const id = ID_OF[keeping];
		if (id === undefined) expect(file).not.toHaveProperty('id');
		else expect(file?.id).toMatch(id);
	};

	it('files of one byte and of 5 MiB are uploaded whole, and only hashed the second time', async () => {
		const contents = [1, 5 * 1024 * 1024].map((size) => randomBytes(size));
		const upload = async () =>
			jsons(
				await runNode(
					uploadRun(
						credentialFor(sandbox),
						contents.map((content) => fileItem(content)),
					),
				),
			);
		const first = await upload();
		expect(first).toMatchObject(
			contents.map((content) => ({ hash: hashOf(content), size_bytes: content.length, bytes_sent: content.length, file_path: 'cat.png' })),
		);
		expect(await upload()).toMatchObject(first.map(({ id }) => ({ id, bytes_sent: 0 })));
	});

	it('outputs of every kind are kept with name and type, on one item and on one each, and can be uploaded again', async () => {
		const credential = credentialFor(sandbox);
		const jobId = await finished(sandbox, everyKindGraph(1));
		const { outputs } = await runNode(downloadRun(credential, [jobId]));
		expect(outputs[0]).toHaveLength(KINDS.length);
		const contents = await Promise.all((outputs[0] ?? []).map(async (item) => await bytesOf(item)));
		for (const [index, kind] of KINDS.entries()) {
			const item = outputs[0]?.[index];
			expectKept(item);
			const { mimeType, extension } = MEDIA[kind];
			expect(item?.binary?.data).toMatchObject({ mimeType, fileExtension: extension, fileName: expect.stringMatching(/^kind_/) });
			expect(item?.json.output).toMatchObject({ hash: hashOf(contents[index]!), size_bytes: contents[index]!.byteLength });
		}
		const again = await runNode(
			uploadRun(
				credential,
				contents.map((content) => fileItem(content)),
			),
		);
		expect(jsons(again).map(({ hash }) => hash)).toEqual(contents.map(hashOf));
		const single = await runNode(downloadRun(credential, [jobId], { outputMode: 'singleItem' }));
		for (const index of KINDS.keys()) {
			expectKept(single.outputs[0]?.[0], `data_${index}`);
			expect(await bytesOf(single.outputs[0]?.[0], `data_${index}`)).toEqual(contents[index]);
		}
	});

	it('a workflow file goes round: got as a file, submitted from the file', async () => {
		const credential = credentialFor(sandbox);
		const jobId = await finished(sandbox, colorGraph(7));
		const got = await runNode(workflowRun(credential, [jobId], { outputAs: 'file' }));
		expectKept(got.outputs[0]?.[0]);
		const items = [fileItem(await bytesOf(got.outputs[0]?.[0]), 'graph.json', 'application/json')];
		const parameters = { workflowSource: 'file', workflowBinaryField: 'data' };
		const submitted = await runNode(submitRun(credential, {}, { items, parameters }));
		expect(sandbox.job(String(jsons(submitted)[0]?.job_id))?.graph).toEqual(colorGraph(7));
	});

	return { sandbox };
}
