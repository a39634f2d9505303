import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServers } from './support/findServers';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'comfy-servers-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(path: string, mode = 0o755): void {
	const full = join(folder, path);
	mkdirSync(join(full, '..'), { recursive: true });
	writeFileSync(full, '');
	chmodSync(full, mode);
}

const find = () => findServers({ PATH: join(folder, 'bin') }, join(folder, 'versions'));

describe('what n8n in queue mode needs', () => {
	it('is requested in one line if nothing is installed', () => {
		expect(find).toThrow(/^[^\n]*apt-get install redis-server postgresql[^\n]* redis-server was not found\.$/);
		expect(() => findServers({}, join(folder, 'versions'))).toThrow(/redis-server was not found/);
	});

	it('is found on PATH, and where Debian keeps PostgreSQL', () => {
		program('bin/redis-server');
		expect(find).toThrow(/ initdb was not found/);
		program('versions/15/bin/initdb');
		expect(find).toThrow(/ postgres was not found/);
		program('versions/15/bin/postgres', 0o644);
		expect(find).toThrow(/ postgres was not found/);
	});
});
