/** Breaks the client rule by rule, each in a tree of its own, and runs the cells that must notice. */
import { fork } from 'node:child_process';
import { join } from 'node:path';

import { cellName, matrix } from '../../test/faults/matrix';
import { projectRoot } from '../n8nHost/paths';
import { type Tree, treeOf } from '../red/trees';
import type { Share, TestedCell } from './child';
import { type Mutant, MUTANTS } from './mutants';

const TREES = 2;
const TAKEN = ['client', 'nodes', 'sandbox', 'test', 'scripts', 'package.json', 'tsconfig.json'];
/** Of a cell that never ends, on the client's clock; those that end take half of it at most. */
const LONGEST_CELL_MS = 40 * 60_000;
/** Of a process that is stuck. */
const LONGEST_MS = 10 * 60_000;

/** @returns names of the cells that failed, or did not end. */
async function failing(folder: string, names: readonly string[]): Promise<string[]> {
	const cells = matrix();
	const places = names.map((name) => cells.findIndex((cell) => cellName(cell) === name));
	const missing = names.filter((_, at) => places[at] === -1);
	if (missing.length > 0) throw new Error(`No such cell: ${missing.join('; ')}`);
	const open = new Set(places);
	const child = fork(join(folder, 'scripts/faults/child.ts'), { cwd: folder, execArgv: ['--import', 'tsx'], stdio: 'ignore' });
	child.on('message', (message) => {
		const { place, failures } = message as TestedCell;
		if (failures.length === 0) open.delete(place);
		else if (process.env.SHOW_FAILURES !== undefined) console.log(failures.join('; '));
	});
	child.send({ places, longestMs: LONGEST_CELL_MS } satisfies Share);
	const bound = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
	await new Promise((resolve) => child.once('exit', resolve));
	clearTimeout(bound);
	return names.filter((_, at) => open.has(places[at] as number));
}

async function lives({ rule, file, from, to, cells }: Mutant, tree: Tree): Promise<boolean> {
	const mend = tree.replace(file, from, to);
	const red = await failing(tree.folder, cells);
	mend();
	console.log(`  ${red.length > 0 ? 'red  ' : 'LIVES'} without the rule: ${rule}`);
	return red.length === 0;
}

/** @returns how many rules cannot be broken unnoticed, and how many can; a cell that fails as it is counts as well. */
export async function runMutants(): Promise<{ passed: number; failed: number }> {
	const startedAt = performance.now();
	const names = [...new Set(MUTANTS.flatMap(({ cells }) => cells))];
	const failingNow = await failing(projectRoot, names);
	for (const name of failingNow) console.log(`✗ ${name}: fails as it is`);
	const waiting = [...MUTANTS].reverse();
	const inOneTree = async (): Promise<number> => {
		const tree = treeOf('HEAD');
		try {
			tree.takeFromHere(...TAKEN);
			let living = 0;
			for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) living += (await lives(one, tree)) ? 1 : 0;
			return living;
		} finally {
			tree.remove();
		}
	};
	const living = (await Promise.all(Array.from({ length: TREES }, inOneTree))).reduce((sum, count) => sum + count, 0);
	const seconds = Math.round((performance.now() - startedAt) / 1_000);
	console.log(
		`${MUTANTS.length - living} of ${MUTANTS.length} mutants are noticed; ${names.length} cells hold as it is but ${failingNow.length}; ${seconds} s`,
	);
	return { passed: MUTANTS.length - living, failed: living + failingNow.length };
}
