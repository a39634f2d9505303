import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CHUNK_BYTES, fileChunks } from '../../../../nodes/shared/files/inputFile';

const folder = mkdtempSync(join(tmpdir(), 'comfy-chunks-'));
const path = join(folder, 'a.bin');
const content = randomBytes(7 * CHUNK_BYTES + 123);
writeFileSync(path, content);
afterAll(() => rmSync(folder, { recursive: true }));

test('a chunk stays as it is until the next but one is asked for', async () => {
	const whole: Buffer[] = [];
	let before: Uint8Array | undefined;
	for await (const chunk of fileChunks(path)) {
		if (before !== undefined) whole.push(Buffer.from(before));
		before = chunk;
		// As long as it takes to read ahead.
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	expect(Buffer.concat([...whole, before ?? Buffer.alloc(0)]).equals(content)).toBe(true);
});

test('a reader that stops early leaves no file open, and an unreadable file throws', async () => {
	for await (const chunk of fileChunks(path)) {
		expect(chunk.byteLength).toBe(CHUNK_BYTES);
		break;
	}
	await expect(fileChunks(folder).next()).rejects.toThrow('EISDIR');
	await expect(fileChunks(join(folder, 'none')).next()).rejects.toThrow('ENOENT');
	expect(openFiles()).not.toContain(path);
});

/** Empty on systems that do not list them. */
const openFiles = (): string[] =>
	(existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd') : [])
		.map((name) => `/proc/self/fd/${name}`)
		.flatMap((link) => (existsSync(link) ? [readlinkSync(link)] : []));
