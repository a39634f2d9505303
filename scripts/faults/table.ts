import type { Cell } from '../../test/faults/shapes';

/** How many cells hold, by family of faults and by what is called: `40` or `38/40`. */
export function tableOf(tested: ReadonlyArray<{ cell: Cell; hasPassed: boolean }>): string {
	const kindOf = ({ call }: Cell): string => call.name.split(/[ ,]/)[0] ?? '';
	const families = [...new Set(tested.map(({ cell }) => cell.fault.family))];
	const kinds = [...new Set(tested.map(({ cell }) => kindOf(cell)))];
	const rows = families.map((family) => [
		family,
		...kinds.map((kind) => {
			const here = tested.filter(({ cell }) => cell.fault.family === family && kindOf(cell) === kind);
			const passed = here.filter(({ hasPassed }) => hasPassed).length;
			return here.length === 0 ? '' : passed === here.length ? String(passed) : `${passed}/${here.length}`;
		}),
	]);
	return [['', ...kinds], ...rows]
		.map(([family = '', ...cells]) => family.padEnd(16) + cells.map((cell) => cell.padStart(10)).join(''))
		.join('\n');
}
