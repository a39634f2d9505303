/** Large files pass through the sandbox without being held in its memory. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { startProcess, type Started } from './support/process';

const MIB = 1024 * 1024;
const SIZE_MIB = 96;
const SMALL_MIB = 8;
/** Bytes in flight, and whatever the garbage collector has not looked at yet; a held file would need all of its size. */
const GROWTH_LIMIT_MIB = 64;
const onLinux = existsSync('/proc/self/status') ? test : test.skip;

let sandbox: Started;
let facts: Record<string, string>;
beforeAll(async () => {
	sandbox = startProcess(['--json']);
	facts = JSON.parse(await sandbox.firstLine) as Record<string, string>;
});
afterAll(async () => {
	sandbox.process.kill('SIGTERM');
	await sandbox.ended;
});

/** The most memory the sandbox ever had resident. */
async function peakMemoryMib(): Promise<number> {
	const status = await readFile(`/proc/${sandbox.process.pid ?? 0}/status`, 'utf8');
	return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

async function* chunks(count: number): AsyncGenerator<Uint8Array> {
	for (let index = 0; index < count; index++) yield Buffer.alloc(MIB, index);
}

async function* multipart(boundary: string, sizeMib: number): AsyncGenerator<Uint8Array> {
	const part = (name: string, rest: string): string => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${rest}`;
	yield Buffer.from(
		part('content_type', '\r\n\r\nvideo/mp4\r\n') +
			part('file_path', '\r\n\r\nlarge.mp4\r\n') +
			part('file', '; filename="large.mp4"\r\n\r\n'),
	);
	yield* chunks(sizeMib);
	yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

async function download(url: string, headers: Record<string, string> = {}): Promise<number> {
	const response = await fetch(url, { headers });
	let size = 0;
	for await (const chunk of response.body ?? []) size += (chunk as Uint8Array).byteLength;
	return size;
}

async function roundTrip(sizeMib: number): Promise<void> {
	const response = await fetch(`${facts.self_hosted}/api/v2/assets`, {
		method: 'POST',
		headers: { 'content-type': 'multipart/form-data; boundary=xyz' },
		body: multipart('xyz', sizeMib),
		duplex: 'half',
	});
	const asset = (await response.json()) as { size_bytes: number; url: string };
	expect([response.status, asset.size_bytes]).toEqual([201, sizeMib * MIB]);
	expect(await download(asset.url)).toBe(sizeMib * MIB);
}

onLinux('an upload and a download', async () => {
	// Whatever a transfer loads and compiles is there before the measurement begins.
	await roundTrip(SMALL_MIB);
	const before = await peakMemoryMib();
	await roundTrip(SIZE_MIB);
	expect((await peakMemoryMib()) - before).toBeLessThan(GROWTH_LIMIT_MIB);
});

onLinux('an output that the engine makes as it goes', async () => {
	const headers = { authorization: `Bearer ${facts.api_key}`, 'content-type': 'application/json' };
	const workflow = { big: { class_type: 'SandboxLargeFile', inputs: { size_mib: SIZE_MIB, seed: 1 } } };
	const before = await peakMemoryMib();
	const created = await fetch(`${facts.hosted}/api/v2/jobs`, { method: 'POST', headers, body: JSON.stringify({ workflow }) });
	const { id } = (await created.json()) as { id: string };
	const read = async () => (await (await fetch(`${facts.hosted}/api/v2/jobs/${id}`, { headers })).json()) as Record<string, unknown>;
	let job = await read();
	while (['queued', 'running'].includes(String(job.status))) {
		await new Promise((resolve) => setTimeout(resolve, 50));
		job = await read();
	}
	// Beyond 64 MiB the hash is left for later.
	expect(job).toMatchObject({ status: 'succeeded', outputs: [{ size_bytes: SIZE_MIB * MIB, hash: null, url: expect.any(String) }] });
	const [{ url }] = job.outputs as [{ url: string }];
	expect(await download(url)).toBe(SIZE_MIB * MIB);
	expect((await peakMemoryMib()) - before).toBeLessThan(GROWTH_LIMIT_MIB);
});
