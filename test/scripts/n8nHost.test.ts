/** Which n8n the demo and the tests start. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseHost, hostFolder, projectRoot } from '../../scripts/n8nHost/environment';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'comfy-host-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file below `folder`. */
function write(...path: string[]): string {
	const file = join(folder, ...path);
	mkdirSync(join(file, '..'), { recursive: true });
	writeFileSync(file, '');
	return file;
}

it('is the pinned n8n on its own Node by default', () => {
	const { command, main } = chooseHost({});
	expect(command).toEqual([join(hostFolder, 'node_modules/node/bin/node'), main]);
	expect(chooseHost({ TEST_N8N_FOLDER: '', TEST_N8N_COMMAND: '' })).toBe(chooseHost({}));
});

it('is the n8n of TEST_N8N_FOLDER, on the Node of that folder or on the Node of this process', () => {
	const n8n = join(folder, 'node_modules/n8n/bin/n8n');
	expect(chooseHost({ TEST_N8N_FOLDER: folder }).command).toEqual([process.execPath, n8n]);
	const node = write('node_modules/node/bin/node');
	expect(chooseHost({ TEST_N8N_FOLDER: folder })).toMatchObject({
		command: [node, n8n],
		folders: expect.arrayContaining([join(node, '..')]) as string[],
	});
});

it('is started by TEST_N8N_COMMAND with its arguments', () => {
	expect(chooseHost({ TEST_N8N_COMMAND: ' /opt/run-n8n  --tag 3.0 ' })).toMatchObject({
		command: ['/opt/run-n8n', '--tag', '3.0'],
		folders: [],
	});
});

it('rejects two choices', () => {
	expect(() => chooseHost({ TEST_N8N_FOLDER: folder, TEST_N8N_COMMAND: 'n8n' })).toThrow('not both');
});

it('reports a folder without n8n, and installs nothing there', () => {
	const install = `require('${join(projectRoot, 'scripts/n8nHost/install.ts')}').ensureHost().catch((error) => console.log(error.message))`;
	const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '-e', install], {
		cwd: projectRoot,
		encoding: 'utf8',
		env: { ...process.env, TEST_N8N_FOLDER: join(folder, 'empty') },
	});
	expect(stdout.trim()).toBe(
		`There is no n8n at ${join(folder, 'empty/node_modules/n8n/bin/n8n')}. Install it in TEST_N8N_FOLDER: npm install n8n`,
	);
});
