import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Work } from '../contest/types';
import type { FileOptions } from './fileOptions';

const curl = async (...args: string[]): Promise<void> =>
	void (await promisify(execFile)('curl', ['--silent', '--show-error', '--fail', ...args]));

export const uploadByCurl = ({ origin, path }: FileOptions): Work => ({
	once: async () => {
		const fields = ['-F', 'content_type=application/octet-stream', '-F', 'file_path=a.bin', '-F', `file=@${path}`];
		await curl('-o', '/dev/null', ...fields, `${origin}/api/v2/assets`);
		return undefined;
	},
});

export function downloadByCurl({ origin, folder }: FileOptions): Work {
	const path = join(folder, 'curl.bin');
	return {
		once: async () => {
			await curl('-o', path, `${origin}/api/v2/assets/a/content`);
			return undefined;
		},
		afterwards: async () => await rm(path),
	};
}
