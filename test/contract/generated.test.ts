import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '..', '..');

test('client/generated holds what `npm run generate` would write', async () => {
	const check = promisify(execFile)(process.execPath, ['--import', 'tsx', join('scripts', 'generateTypes.ts'), '--check'], { cwd: ROOT });
	await expect(check).resolves.toMatchObject({ stderr: '' });
});
