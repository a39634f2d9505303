import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { readFrame } from '../../../../client/comfyui/frames/readFrame';
import { Chance } from '../../support/chance';
import { badEnds, jobFrames } from '../../support/frames';
import type { FuzzOrder, FuzzReport } from '../../support/fuzzChild';

const LIMIT_MIB = 5;

test('100,000 random and mutated frames: nothing is thrown, and no memory kept', async () => {
	const order: FuzzOrder = { seed: 20_251_010, frames: 100_000, firstLookAt: 10_000 };
	const child = join(__dirname, '..', '..', 'support', 'fuzzChild.ts');
	const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--expose-gc', '--import', 'tsx', child, JSON.stringify(order)]);
	const { thrown, heapMib, reported, connects } = JSON.parse(stdout) as FuzzReport;
	expect({ thrown, connects, stderr }).toEqual({ thrown: [], connects: 1, stderr: '' });
	expect(heapMib[1] - heapMib[0]).toBeLessThanOrEqual(LIMIT_MIB);
	const kinds = ['cached', 'failed', 'node', 'notification', 'other', 'output', 'preview', 'progress', 'queue', 'status', 'text'];
	expect(Object.keys(reported).sort()).toEqual(kinds);
	expect(Math.min(...Object.values(reported))).toBeGreaterThan(500);
}, 120_000);

test('every frame cut short anywhere is read or malformed', () => {
	for (const message of [...jobFrames('j'), ...badEnds('j')]) {
		for (let length = 0; length < message.length; length++) {
			const { kind } = readFrame(message.slice(0, length)).frame;
			if (typeof message === 'string') expect(kind).toBe('malformed');
			else expect(['malformed', 'preview', 'progress_text']).toContain(kind);
		}
	}
});

test('numbers of mutated frames are finite and not negative, ids are text', () => {
	const chance = new Chance(7);
	const messages = [...jobFrames('j'), ...badEnds('j')];
	for (let at = 0; at < 20_000; at++) {
		const message = chance.oneOf(messages);
		const bytes = chance.mutated(Buffer.from(message));
		const { frame } = readFrame(typeof message === 'string' ? bytes.toString('utf8') : bytes);
		if ('jobId' in frame && frame.jobId !== null) expect(frame.jobId).toMatch(/[^]/);
		if (frame.kind === 'progress') expect([frame.value, frame.max].every((value) => Number.isFinite(value) && value >= 0)).toBe(true);
	}
});
