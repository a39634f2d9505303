import assert from 'node:assert/strict';

import { type AssetRecords, contentHash, type UploadSource } from '../../../client';
import { chunksOf } from '../../client/support/bytes';
import type { Call, Door, Expectation, Fault } from '../shapes';
import { beforehand, endedJob, type Flavour, through, v2Call } from './v2Connections';
import { downloadEnds } from './web';

const FLAVOUR: Flavour = 'hosted';
const SIZE = 150_000;

/** A file that no other cell has. */
const bytesOf = ({ mark }: Door): Buffer => Buffer.alloc(SIZE, `${mark} `);

const sourceOf = (door: Door, sizeBytes?: number): UploadSource => ({
	open: () => chunksOf(bytesOf(door).subarray(0, SIZE / 2), bytesOf(door).subarray(SIZE / 2)),
	contentType: 'application/octet-stream',
	sizeBytes,
});

const hashOf = async (door: Door): Promise<string> => await contentHash(chunksOf(bytesOf(door)));

const stored = async (door: Door): Promise<string> =>
	await beforehand(door, FLAVOUR, async ({ assets }) => {
		const { asset } = await assets.upload(sourceOf(door, SIZE), { filePath: 'before.bin' });
		assert.ok(asset.id);
		return asset.id;
	});

const records = async <T>(door: Door, work: (records: AssetRecords) => Promise<T>): Promise<T> =>
	await through(door, FLAVOUR, async ({ assets }) => {
		assert.ok(assets.records);
		return await work(assets.records);
	});

const upload = (name: string, send: (door: Door) => { source: UploadSource; skipIfStored?: boolean }): Call => ({
	...v2Call(name, 'upload', 'POST /api/v2/assets'),
	run: async (door) => {
		const { source, skipIfStored } = send(door);
		const { asset } = await through(
			door,
			FLAVOUR,
			async ({ assets }) => await assets.upload(source, { filePath: 'sent.bin', skipIfStored }),
		);
		assert.equal(asset.size_bytes, SIZE);
		assert.equal(asset.hash, await hashOf(door));
	},
});

/** The service says itself that a link leads nowhere; with a wrong key another link is no help. */
const ofLink = ({ seen }: Fault, attempts: string): Expectation | undefined =>
	typeof seen === 'object' && [403, 404].includes(seen.status) && attempts === 'first'
		? { outcome: 'done', because: 'a fresh link is asked for' }
		: undefined;

const download = (
	request: Pick<Call, 'name' | 'wire' | 'on' | 'at'>,
	expects: NonNullable<Call['expects']>,
	sandbox?: Call['sandbox'],
): Call => ({
	...request,
	...(sandbox && { sandbox }),
	repeatable: true,
	expects,
	run: async (door) => {
		const { job_id } = await endedJob(door, FLAVOUR);
		await through(door, FLAVOUR, async ({ jobs, assets }) => {
			const linked = async () => {
				const [output] = (await jobs.get(job_id)).outputs;
				assert.ok(output?.url);
				return { ...output, url: output.url };
			};
			const { url, size_bytes: sizeBytes, hash, content_type: contentType } = await linked();
			const freshUrl = async () => (await linked()).url;
			const file = await assets.download({ url, sizeBytes, hash, contentType, freshUrl });
			let received = 0;
			for await (const chunk of file.bytes) received += chunk.byteLength;
			assert.equal(received, sizeBytes);
		});
	},
});

/** Files over v2. */
export const v2FileCalls: readonly Call[] = [
	upload('v2 upload', (door) => ({ source: sourceOf(door, SIZE) })),
	upload('v2 upload of unknown length', (door) => ({ source: sourceOf(door) })),
	{
		...v2Call('v2 upload unless stored', 'bare', 'HEAD /api/v2/assets/by-hash/*'),
		run: async (door) => {
			await stored(door);
			const options = { filePath: 'again.bin', skipIfStored: true };
			const { asset, bytesSent } = await through(door, FLAVOUR, async ({ assets }) => await assets.upload(sourceOf(door, SIZE), options));
			assert.equal(asset.size_bytes, SIZE);
			return bytesSent === 0 ? undefined : 'sent again';
		},
		expects: ({ seen }) =>
			typeof seen === 'object' && seen.status === 404
				? { outcome: 'sent again', because: 'the service says that it does not have the file' }
				: undefined,
	},
	{
		...v2Call('v2 asset by hash', 'json', 'POST /api/v2/assets/from-hash'),
		run: async (door) => {
			await stored(door);
			const hash = await hashOf(door);
			const asset = await records(door, async (assets) => await assets.fromHash(hash, { filePath: 'same.bin' }));
			assert.equal(asset.hash, hash);
		},
	},
	{
		...v2Call('v2 asset', 'json', 'GET /api/v2/assets/*'),
		run: async (door) => {
			const id = await stored(door);
			assert.equal((await records(door, async (assets) => await assets.get(id))).id, id);
		},
	},
	{
		...v2Call('v2 delete of an asset', 'bare', 'DELETE /api/v2/assets/*'),
		repeatable: false,
		persists: 'unheard',
		expects: ({ name }) =>
			name === 'double delivery, second answer told'
				? { outcome: 'api 404 not_found', because: 'the second delivery finds nothing to delete, and says so' }
				: undefined,
		run: async (door) => {
			const id = await stored(door);
			await records(door, async (assets) => await assets.delete(id));
		},
	},
	download({ name: 'v2 download by the content route', wire: 'bare', on: 'GET /api/v2/assets/*/content', at: FLAVOUR }, ofLink, {
		assetUrls: 'content',
	}),
	download({ name: 'v2 download from storage', wire: 'file', on: 'GET /blobs/*', at: 'storage' }, (fault, attempts) =>
		downloadEnds(fault, attempts, true, true),
	),
];
