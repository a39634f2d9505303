import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { median } from '../median';
import type { Contestant, Facts, Measured, Order, Word } from './types';

export interface Result extends Measured {
	name: string;
	/** Its time as a part of the first contestant's … of each round, the median. */
	ratios: Record<string, number>;
}

export interface ContestSettings {
	rounds: number;
	/** All run at the same time: for work that mostly waits. Else one after another: A B C, A B C, … */
	together?: boolean;
	/** What somebody else counts, from its beginning on: the service. What a run adds to it becomes its facts. */
	counted?: () => Promise<Facts>;
}

/** Each contestant in a process of its own; the medians of all rounds. */
export async function contest(
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
		this.child = fork(join(__dirname, 'process.ts'), {
			execArgv: ['--expose-gc', '--import', 'tsx'],
			env: { ...process.env, ...(contestant.folder !== undefined && { N8N_USER_FOLDER: contestant.folder }) },
		});
	}

	async prepare(): Promise<void> {
		const { work, options } = this.contestant;
		await this.ask({ do: 'prepare', work, options });
	}

	async run(counted: ContestSettings['counted'] = async () => await Promise.resolve({})): Promise<void> {
		const before = await counted();
		const word = await this.ask({ do: 'run' });
		if (word.told !== 'measured') return;
		const after = await counted();
		const added = Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));
		this.measured.push({ ...word.measured, facts: { ...added, ...word.measured.facts } });
	}

	result(all: readonly Runner[]): Result {
		const ofEach = (read: (measured: Measured) => number) => median(this.measured.map(read));
		const ratioTo = (other: Runner) => median(this.measured.map(({ ms }, round) => ms / (other.measured[round]?.ms ?? NaN)));
		const names = Object.keys(this.measured[0]?.facts ?? {});
		return {
			name: this.contestant.name,
			ms: ofEach(({ ms }) => ms),
			cpuMs: ofEach(({ cpuMs }) => cpuMs),
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

	private async ask(order: Order): Promise<Word> {
		this.child.send(order);
		const ended = new AbortController();
		const exit = once(this.child, 'exit', { signal: ended.signal }).then(
			([code]) => ({ told: 'failed', message: `the process ended with ${code}` }) as const,
			() => undefined,
		);
		const [word] = (await Promise.race([once(this.child, 'message'), exit.then((failed) => [failed])])) as [Word];
		ended.abort();
		if (word.told === 'failed') throw new Error(`${this.contestant.name}: ${word.message}`);
		return word;
	}
}
