import { fork } from 'node:child_process';

export type Row = Record<string, string | number>;

/** Runs one row in a process of its own, so that its memory is its own: the script sends its row and ends. */
export async function rowOf(script: string, args: readonly string[]): Promise<Row> {
	const child = fork(script, args, { execArgv: ['--expose-gc', '--import', 'tsx'] });
	return await new Promise<Row>((resolve, reject) => {
		child.once('message', (row) => resolve(row as Row));
		child.once('exit', (code) => reject(new Error(`The row ended with ${code} before it was told`)));
	});
}

export const percentile = (sorted: readonly number[], part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
