import { randomBytes } from 'node:crypto';

import { blake3 } from '@noble/hashes/blake3';
import type { INodeExecutionData } from 'n8n-workflow';

import type { Sandbox } from '../../../sandbox/types';
import { picture } from '../../client/support/pictures';
import { bytesOf, runNode } from '../support/engine';
import { downloadRun, fileItem, uploadRun, workflowRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph, invertGraph } from '../support/graphs';
import { everyKindGraph, KINDS, MEDIA } from '../support/media';
import { runRun } from '../support/run';
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

	it.each([1, 3_000, 2_000_000])('a file of %i bytes is uploaded whole, and only hashed the second time', async (size) => {
		const content = randomBytes(size);
		const credential = credentialFor(sandbox);
		const [first] = jsons(await runNode(uploadRun(credential, [fileItem(content)])));
		expect(first).toMatchObject({
			hash: hashOf(content),
			size_bytes: size,
			bytes_sent: size,
			file_path: 'cat.png',
			content_type: 'image/png',
		});
		const [second] = jsons(await runNode(uploadRun(credential, [fileItem(content)])));
		expect(second).toMatchObject({ id: first?.id, bytes_sent: 0 });
	});

	it('a missing field and an empty file are said', async () => {
		const credential = credentialFor(sandbox);
		const missing = await runNode(uploadRun(credential, [{ files: { other: { content: Buffer.from('x') } } }]));
		expect(missing.error?.description).toBe('Set Input Binary Field to one of: other.');
		const empty = await runNode(uploadRun(credential, [fileItem(Buffer.alloc(0))]));
		expect(empty.error?.message).toBe('The file in the field "data" is empty');
		expect(empty.error?.description).toMatch(/Nothing was sent/);
	});

	it('a file is put into a workflow; three items that carry it send it once', async () => {
		const content = await picture(0x204060);
		const files = { values: [{ input: { mode: 'name', value: 'Picture.image' }, from: 'binary', binaryPropertyName: 'data' }] };
		const result = await runNode(
			runRun(credentialFor(sandbox), invertGraph(), {
				items: [fileItem(content), fileItem(content, 'dog.png'), fileItem(content)],
				parameters: { files },
			}),
		);
		expect(result.error).toBeUndefined();
		expect(result.outputs[0]).toHaveLength(3);
		for (const item of result.outputs[0] ?? []) expectKept(item);
		expect(sandbox.requests('POST /api/v2/assets')).toHaveLength(1);
	});

	it('outputs of every kind are kept with name and type, and can be uploaded again', async () => {
		const credential = credentialFor(sandbox);
		const jobId = await finished(sandbox, everyKindGraph(1));
		const { outputs } = await runNode(downloadRun(credential, [jobId]));
		expect(outputs[0]).toHaveLength(KINDS.length);
		for (const [index, kind] of KINDS.entries()) {
			const item = outputs[0]?.[index];
			expectKept(item);
			expect(item?.binary?.data).toMatchObject({
				mimeType: MEDIA[kind].mimeType,
				fileExtension: MEDIA[kind].extension,
				fileName: expect.stringMatching(/^kind_/),
			});
			const content = await bytesOf(item);
			expect(item?.json.output).toMatchObject({ hash: hashOf(content), size_bytes: content.byteLength });
			const [again] = jsons(await runNode(uploadRun(credential, [fileItem(content)])));
			expect(again?.hash).toBe(hashOf(content));
		}
	});

	it('all outputs on one item are kept, each in its field', async () => {
		const jobId = await finished(sandbox, everyKindGraph(2));
		const { outputs } = await runNode(downloadRun(credentialFor(sandbox), [jobId], { outputMode: 'singleItem' }));
		for (const index of KINDS.keys()) expectKept(outputs[0]?.[0], `data_${index}`);
		expect(String(await bytesOf(outputs[0]?.[0], 'data_3'))).toBe('seed 2');
	});

	it('a workflow file goes round: got as a file, submitted from the file', async () => {
		const credential = credentialFor(sandbox);
		const jobId = await finished(sandbox, colorGraph(7));
		const got = await runNode(workflowRun(credential, [jobId], { outputAs: 'file' }));
		expectKept(got.outputs[0]?.[0]);
		const content = await bytesOf(got.outputs[0]?.[0]);
		const submitted = await runNode(
			submitRun(
				credential,
				{},
				{
					items: [fileItem(content, 'graph.json', 'application/json')],
					parameters: { workflowSource: 'file', workflowBinaryField: 'data' },
				},
			),
		);
		expect(sandbox.job(String(jsons(submitted)[0]?.job_id))?.graph).toEqual(colorGraph(7));
	});

	return { sandbox };
}
