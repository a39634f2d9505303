import type { Row } from './execution';
import type { CHANGES } from './history';

/** For how long the router's model runs. Real milliseconds. */
const SLOWEST_MS = 16;

/** Where the rows come from. Somebody changes it between the tries. */
export class Table {
	/** The marks of the rows, as they stand now. */
	private readonly marks: string[];
	private made = 0;
	private reads = 0;

	constructor(
		private readonly prefix: string,
		rows: number,
		private readonly areEqual: boolean,
	) {
		this.marks = Array.from({ length: rows }, () => this.newMark(areEqual));
	}

	get firstMark(): string {
		return this.marks[0] ?? '';
	}

	/** With fields that change at each reading, and that no expression reads. */
	readonly read = (): Row[] => {
		this.reads += 1;
		const ms = Number.parseInt(this.prefix.slice(-3), 36) % SLOWEST_MS;
		return this.marks.map((mark, index) => ({ mark, ms, row_number: index + 2, updated_at: this.reads }));
	};

	change(does: (typeof CHANGES)[number], place: number): void {
		const { marks } = this;
		const row = place % marks.length;
		if (does === 'add') marks.splice(row, 0, this.newMark(this.areEqual));
		else if (does === 'edit') marks[row] = this.newMark(false);
		else if (does === 'move') marks.push(...marks.splice(row, 1));
		else if (marks.length > 1) marks.splice(row, 1);
	}

	private newMark(isEqual: boolean): string {
		if (!isEqual) this.made += 1;
		return `${this.prefix}-${isEqual ? 0 : this.made}`;
	}
}
