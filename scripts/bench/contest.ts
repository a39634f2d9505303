/** Runs the same work with several contestants, each in a separate process. */
import { randomFillSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentHash } from '../../client';
import { fileChunks } from '../../nodes/shared/files/inputFile';
import { projectRoot } from '../n8nHost/environment';
import { Worker } from '../workers';
import { startFileService } from './services';
import { type Facts, type Measured, type Options, type Order, percentile } from './work';

export interface Result extends Measured {
	name: string;
}

interface Contestant {
	/** As the table calls it. */
	name: string;
	/** `<file>.<function>` of `works`. */
	work: string;
	options: Options;
	/** Where n8n's engine keeps its files, if it takes part. */
	folder: string;
}

interface ContestSettings {
	rounds?: number;
	/** All run at the same time: for work that mostly waits. Else one after another: A B C, A B C, … */
	together?: boolean;
	/** What the service has counted since it started. What a run adds becomes its facts. */
	counted?: () => Promise<Facts>;
}

class Runner {
	private readonly worker: Worker<Order, Measured | undefined>;
	private readonly measured: Measured[] = [];

	constructor(private readonly contestant: Contestant) {
		this.worker = new Worker(join(__dirname, 'contestant.ts'), {
			execArgv: ['--expose-gc', '--import', 'tsx'],
			env: { ...process.env, N8N_USER_FOLDER: contestant.folder },
		});
	}

	async prepare(): Promise<void> {
		const { work, options } = this.contestant;
		await this.worker.ask({ do: 'prepare', work, options });
	}

	async run(counted: ContestSettings['counted'] = async () => await Promise.resolve({})): Promise<void> {
		const before = await counted();
		const measured = await this.worker.ask({ do: 'run' });
		if (measured === undefined) return;
		const after = await counted();
		const added = Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));
		this.measured.push({ ...measured, facts: { ...added, ...measured.facts } });
	}

	/** The medians of all rounds, and the highest peak of memory. */
	result(): Result {
		const ofEach = (read: (measured: Measured) => number) => percentile(this.measured.map(read), 0.5);
		const names = Object.keys(this.measured[0]?.facts ?? {});
		return {
			name: this.contestant.name,
			ms: ofEach(({ ms }) => ms),
			peakMib: Math.max(...this.measured.map(({ peakMib }) => peakMib)),
			facts: Object.fromEntries(names.map((name) => [name, ofEach(({ facts }) => facts[name] ?? NaN)])),
		};
	}

	async end(): Promise<void> {
		await this.worker.end();
	}
}

async function runContestants(contestants: readonly Contestant[], settings: ContestSettings): Promise<Result[]> {
	const { rounds = 1, together = false, counted } = settings;
	const runners = contestants.map((contestant) => new Runner(contestant));
	try {
		for (const runner of runners) await runner.prepare();
		for (let round = 0; round < rounds; round++) {
			if (together) await Promise.all(runners.map(async (runner) => await runner.run()));
			else for (const runner of runners) await runner.run(counted);
		}
		return runners.map((runner) => runner.result());
	} finally {
		await Promise.all(runners.map(async (runner) => await runner.end()));
	}
}

/** Name in the table → work and its options. */
type Contestants = Readonly<Record<string, readonly [work: string, options: object]>>;

/** A contest of work that needs no files. n8n's engine gets a temporary folder. */
export async function runContest(contestants: Contestants, settings: ContestSettings): Promise<Result[]> {
	const folder = mkdtempSync(join(tmpdir(), 'comfy-bench-'));
	try {
		const all = Object.entries(contestants).map(([name, [work, options]]) => ({ name, work, options: { ...options }, folder }));
		return await runContestants(all, settings);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

export interface FileContest {
	/** Name in the table → work. */
	contestants: Readonly<Record<string, string>>;
	bytes: number;
	rounds?: number;
	hashes?: boolean;
	isStored?: boolean;
}

export const MIB = 1024 * 1024;
const WARM_UP_BYTES = 8 * MIB;
const BLOCK_BYTES = 16 * MIB;

/** Writes random bytes that repeat every 16 MiB. @returns their hash. */
async function randomFile(path: string, bytes: number): Promise<string> {
	const block = randomFillSync(Buffer.alloc(Math.min(BLOCK_BYTES, bytes)));
	const file = await open(path, 'w');
	for (let written = 0; written < bytes; written += block.length) await file.write(block, 0, Math.min(block.length, bytes - written));
	await file.close();
	return await contentHash(fileChunks(path));
}

/** A service, and a file of this size. */
async function prepareScene(folder: string, bytes: number, { hashes = false, isStored = false }: FileContest) {
	const path = join(folder, `${bytes}.bin`);
	const hash = await randomFile(path, bytes);
	const service = await startFileService({ path, bytes, hash: hashes ? hash : null, isStored });
	return { options: { origin: service.origin, path, hashes }, service };
}

/** Moves one file in several ways, in turn. */
export async function runFileContest(contest: FileContest): Promise<Result[]> {
	// On a disk: a temporary folder may be in memory.
	const cache = join(projectRoot, '.cache');
	mkdirSync(cache, { recursive: true });
	const folder = mkdtempSync(join(cache, 'bench-'));
	const [small, large] = [await prepareScene(folder, WARM_UP_BYTES, contest), await prepareScene(folder, contest.bytes, contest)];
	try {
		const contestants = Object.entries(contest.contestants).map(([name, work]) => {
			const own = join(folder, work);
			mkdirSync(own);
			return { name, work, folder: own, options: { ...large.options, folder: own, warmUp: { ...small.options, folder: own } } };
		});
		return await runContestants(contestants, { rounds: contest.rounds, counted: large.service.report });
	} finally {
		for (const { service } of [small, large]) service.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}
