import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { connect } from '../../../client';
import { fileChunks } from '../../../nodes/shared/files/fileChunks';
import type { Work } from '../contest/types';
import type { FileOptions } from './fileOptions';

const connected = ({ origin }: FileOptions) => connect({ interface: 'v2', baseUrl: origin, token: 'bench' });

export function uploadByClient(options: FileOptions): Work {
	const { assets } = connected(options);
	const { path, bytes, hashes } = options;
	const source = { open: () => fileChunks(path), sizeBytes: bytes, contentType: 'application/octet-stream' };
	return {
		once: async () => {
			await assets.upload(source, { filePath: 'a.bin', skipIfStored: hashes });
			return undefined;
		},
	};
}

export function downloadByClient(options: FileOptions): Work {
	const { assets } = connected(options);
	const { origin, bytes, hash, hashes, folder } = options;
	const path = join(folder, 'client.bin');
	return {
		once: async () => {
			const announced = hashes ? { sizeBytes: bytes, hash } : {};
			const download = await assets.download({ url: `${origin}/api/v2/assets/a/content`, ...announced });
			await pipeline(Readable.from(download.bytes, { objectMode: false }), createWriteStream(path));
			return undefined;
		},
		afterwards: async () => await rm(path),
	};
}
