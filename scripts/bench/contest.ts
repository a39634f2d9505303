/** Runs the same work with several contestants, each in a separate process. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomFillSync } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { contentHash } from '../../client';
import { fileChunks } from '../../nodes/shared/files/inputFile';
import { startFileService } from './services';
import type { FileOptions } from './works/shared';

/** What one measured run reports in addition to its time: requests, bytes, streams, … */
export type Facts = Record<string, number>;

/** Work that is measured repeatedly in a separate process. */
export interface Work {
	/** Measured. Facts may hold `ms`, where the work measures a part of itself. */
	once(): Promise<Facts | undefined>;
	/** Cleans up after a run; not measured. */
	afterwards?(): Promise<void>;
}

/** `warmUp`: those of the same work at a small size, done once before anything is measured. */
export type Options = Record<string, unknown>;

interface Contestant {
	/** As the report calls it. */
	name: string;
	/** `<file>.<function>` of `works`. */
	work: string;
	options: Options;
	/** Where n8n's engine keeps its files, if it takes part. */
	folder: string;
}

interface Measured {
	ms: number;
	/** Resident memory at its peak, above what it was after the warm-up, in MiB. */
	peakMib: number;
	facts: Facts;
}

export type Order = { do: 'prepare'; work: string; options: Options } | { do: 'run' };
export type Answer = { measured?: Measured; error?: string };

export interface Result extends Measured {
	name: string;
	/** Its time divided by each contestant's time in the same round; the median. */
	ratios: Record<string, number>;
}

interface ContestSettings {
	rounds: number;
	/** All run at the same time: for work that mostly waits. Else one after another: A B C, A B C, … */
	together?: boolean;
	/** What the service has counted since it started. What a run adds becomes its facts. */
	counted?: () => Promise<Facts>;
}

/** Runs each contestant in a separate process. @returns the medians of all rounds. */
async function runContestants(
	contestants: readonly Contestant[],
	{ rounds, together = false, counted }: ContestSettings,
): Promise<Result[]> {
	const runners = contestants.map((contestant) => new Runner(contestant));
	try {
		for (const runner of runners) await runner.prepare();
		for (let round = 0; round < rounds; round++) {
			if (together) await Promise.all(runners.map(async (runner) => await runner.run()));
			else for (const runner of runners) await runner.run(counted);
		}
		return runners.map((runner) => runner.result(runners));
	} finally {
		await Promise.all(runners.map(async (runner) => await runner.end()));
	}
}

class Runner {
	private readonly child: ChildProcess;
	private readonly measured: Measured[] = [];

	constructor(private readonly contestant: Contestant) {
		this.child = fork(join(__dirname, 'contestant.ts'), {
			execArgv: ['--expose-gc', '--import', 'tsx'],
			env: { ...process.env, N8N_USER_FOLDER: contestant.folder },
		});
	}

	async prepare(): Promise<void> {
		const { work, options } = this.contestant;
		await this.ask({ do: 'prepare', work, options });
	}

	async run(counted: ContestSettings['counted'] = async () => await Promise.resolve({})): Promise<void> {
		const before = await counted();
		const { measured } = await this.ask({ do: 'run' });
		if (measured === undefined) return;
		const after = await counted();
		const added = Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));
		this.measured.push({ ...measured, facts: { ...added, ...measured.facts } });
	}

	result(all: readonly Runner[]): Result {
		const ofEach = (read: (measured: Measured) => number) => median(this.measured.map(read));
		const ratioTo = (other: Runner) => median(this.measured.map(({ ms }, round) => ms / (other.measured[round]?.ms ?? NaN)));
		const names = Object.keys(this.measured[0]?.facts ?? {});
		return {
			name: this.contestant.name,
			ms: ofEach(({ ms }) => ms),
			peakMib: Math.max(...this.measured.map(({ peakMib }) => peakMib)),
			facts: Object.fromEntries(names.map((name) => [name, ofEach(({ facts }) => facts[name] ?? NaN)])),
			ratios: Object.fromEntries(all.map((other) => [other.contestant.name, ratioTo(other)])),
		};
	}

	async end(): Promise<void> {
		if (!this.child.connected) return;
		const exit = once(this.child, 'exit');
		this.child.disconnect();
		await exit;
	}

	private async ask(order: Order): Promise<Answer> {
		this.child.send(order);
		const ended = new AbortController();
		const exit = once(this.child, 'exit', { signal: ended.signal }).then(
			([code]) => [{ error: `the process ended with ${code}` }],
			() => [],
		);
		const [answer] = (await Promise.race([once(this.child, 'message'), exit])) as [Answer];
		ended.abort();
		if (answer.error !== undefined) throw new Error(`${this.contestant.name}: ${answer.error}`);
		return answer;
	}
}

/** Name in the report → work and its options. */
type Contestants = Readonly<Record<string, readonly [work: string, options: object]>>;

/** A contest of work that needs no files. n8n's engine gets a temporary folder. */
export async function runContest(contestants: Contestants, settings: ContestSettings): Promise<Result[]> {
	const folder = mkdtempSync(join(tmpdir(), 'comfy-bench-'));
	try {
		const all = Object.entries(contestants).map(([name, [work, options]]) => ({ name, work, options: { ...options } as Options, folder }));
		return await runContestants(all, settings);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

const median = (values: readonly number[]): number => percentile(values, 0.5);

/** The smallest value that at least this part of all reaches. */
export function percentile(values: readonly number[], part: number): number {
	const sorted = [...values].sort((one, other) => one - other);
	return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN;
}

const WARM_UP_BYTES = 8 * 1024 * 1024;

export interface FileContest {
	/** Name in the report → work. */
	contestants: Readonly<Record<string, string>>;
	bytes: number;
	rounds: number;
	hashes: boolean;
	isStored?: boolean;
}

interface Scene {
	options: Omit<FileOptions, 'folder'>;
	service: Awaited<ReturnType<typeof startFileService>>;
}

const BLOCK_BYTES = 16 * 1024 * 1024;

/** Writes random bytes that repeat every 16 MiB. @returns their hash. */
async function randomFile(path: string, bytes: number): Promise<string> {
	const block = randomFillSync(Buffer.alloc(Math.min(BLOCK_BYTES, bytes)));
	const file = await open(path, 'w');
	for (let written = 0; written < bytes; written += block.length) await file.write(block, 0, Math.min(block.length, bytes - written));
	await file.close();
	return await contentHash(fileChunks(path));
}

/** A service, and a file of this size. */
async function prepareScene(folder: string, bytes: number, { hashes, isStored = false }: FileContest): Promise<Scene> {
	const path = join(folder, `${bytes}.bin`);
	const hash = await randomFile(path, bytes);
	const service = await startFileService({ path, bytes, hash: hashes ? hash : null, isStored });
	return { options: { origin: service.origin, path, bytes, hashes }, service };
}

/** Moves one file in several ways, in turn, and removes what is left. */
export async function runFileContest(folder: string, asked: FileContest): Promise<Result[]> {
	await mkdir(folder, { recursive: true });
	const scenes = [await prepareScene(folder, WARM_UP_BYTES, asked), await prepareScene(folder, asked.bytes, asked)] as const;
	const [small, large] = scenes;
	try {
		const contestants = await Promise.all(
			Object.entries(asked.contestants).map(async ([name, work]) => {
				const own = join(folder, work);
				await mkdir(own, { recursive: true });
				return { name, work, folder: own, options: { ...large.options, folder: own, warmUp: { ...small.options, folder: own } } };
			}),
		);
		return await runContestants(contestants, { rounds: asked.rounds, counted: large.service.report });
	} finally {
		for (const { service } of scenes) service.stop();
		await rm(folder, { recursive: true, force: true });
	}
}
