/** The bench's own code, at a tiny size: what is measured is no matter here. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { contestOf, percentile, type Result } from '../../scripts/bench/contest';
import { fileContest } from '../../scripts/bench/fileContest';
import { reportOf } from '../../scripts/bench/report';
import { isKept } from '../../scripts/bench/short';
import { QUICK, TOPICS } from '../../scripts/bench/topics';

const BYTES = 300_000;
const MOST_NAMES = 20;

test('a file goes both ways in turn, in processes of their own, and the service counts', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'comfy-bench-test-'));
	const asked = { bytes: BYTES, rounds: 2, hashes: true };
	const [sent, stored, came] = await Promise.all([
		fileContest(join(folder, 'sent'), { ...asked, contestants: { node: 'node.upload', hash: 'least.hash' } }),
		fileContest(join(folder, 'stored'), { ...asked, contestants: { node: 'node.upload' }, isStored: true }),
		fileContest(join(folder, 'came'), { ...asked, contestants: { node: 'node.download' } }),
	]);
	rmSync(folder, { recursive: true });
	for (const { facts, ms, ratios } of sent.slice(0, 1)) {
		expect(facts.requests).toBe(2);
		expect(facts.bodyBytes).toBeGreaterThan(BYTES);
		expect(ms).toBeGreaterThan(0);
		expect(Object.keys(ratios)).toEqual(['node', 'hash']);
	}
	expect(sent[1]?.facts.requests).toBe(0);
	for (const { facts } of stored) expect(facts.bodyBytes).toBeLessThan(BYTES);
	expect(came.map(({ facts }) => facts.requests)).toEqual([2]);
});

test('jobs, waits, ends, frames and a load are measured', async () => {
	const few = { count: 3, jobMs: 100 };
	const results = await contestOf(
		{
			jobs: ['node.batch', { ...few, concurrency: 3, maxJobs: 2 }],
			waits: ['client.waits', { ...few, maxStreams: 1, lists: 'newest' }],
			ends: ['node.ends', few],
			paced: ['client.frames', { count: 20, perSecond: 1_000 }],
			frames: ['least.frames', { count: 20, perSecond: null }],
			load: ['least.load', { files: [require.resolve('ws')], already: [] }],
		},
		{ rounds: 1 },
	);
	const [jobs, waits, ends, paced, frames, load] = results.map(({ facts }) => facts);
	expect(jobs?.requestsPerJob).toBeGreaterThanOrEqual(3);
	expect(waits?.requests).toBeGreaterThanOrEqual(3);
	expect(ends?.ms).toBeGreaterThan(0);
	expect([paced?.reported, frames?.reported]).toEqual([20, 20]);
	expect(load?.modules).toBeGreaterThan(1);
});

test('what fails in a process says whose it is', async () => {
	const asked = contestOf({ nobody: ['least.load', { files: ['/no/such/file.js'], already: [] }] }, { rounds: 1 });
	await expect(asked).rejects.toThrow(/^nobody: /);
});

test('every topic has its section and its goals in the report', () => {
	const names = [...new Set(TOPICS.flatMap((topic) => namesIn(topic)))];
	const resultNamed = (name: string): Result => ({
		name,
		ms: 10,
		cpuMs: 5,
		peakMib: 3.2,
		facts: {},
		ratios: Object.fromEntries(names.map((other) => [other, 0.5])),
	});
	const measured = TOPICS.map((topic) => ({ topic, measures: [{ size: 'a size', results: names.map(resultNamed) }] }));
	const machine = { processors: '2 processors', memoryGib: 4, node: 'v20', system: 'Linux', load: 7 };
	const report = reportOf(measured, machine, { command: 'npm run bench', scale: QUICK });
	for (const { title, means } of TOPICS) {
		expect(report).toContain(`## ${title}\n`);
		expect(report).toContain(means);
	}
	expect(report).toContain('Other work kept the machine busy');
	expect(report).not.toMatch(/undefined|\[object/);
});

/** Whom a topic's goals ask for, found by asking. */
function namesIn(topic: (typeof TOPICS)[number]): string[] {
	const names: string[] = [];
	for (let asked = 0; asked < MOST_NAMES; asked++) {
		try {
			topic.goals(
				names.map((name) => ({ name, ms: 1, cpuMs: 1, peakMib: 1, facts: {}, ratios: {} })),
				QUICK,
			);
		} catch (error) {
			names.push((error as Error).message.replace(' did not take part', ''));
		}
	}
	return names;
}

test('medians, percentiles and limits', () => {
	expect([0.5, 0.99].map((part) => percentile([5, 1, 4, 2, 3], part))).toEqual([3, 5]);
	expect([isKept({ what: '', measured: 2, most: 2 }), isKept({ what: '', measured: NaN, most: 2 })]).toEqual([true, false]);
});
