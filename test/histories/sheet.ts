import type { Row } from './execution';
import type { CHANGES } from './history';

/** For how long the router's model runs. Real milliseconds. */
const SLOWEST_MS = 16;

/** The sheet that the rows of an execution come from. Each row has a mark that no other row has, unless rows may be equal. */
export class Sheet {
	private readonly marks: string[];
	private marksMade = 0;
	private reads = 0;

	/** @param mark of all marks the beginning. */
	constructor(
		private readonly mark: string,
		private readonly areEqual: boolean,
		rows: number,
	) {
		this.marks = Array.from({ length: rows }, () => this.newMark(areEqual));
	}

	get firstMark(): string {
		return this.marks[0] ?? '';
	}

	/** @param nth beyond the last row, it is counted from the first again. */
	change(does: (typeof CHANGES)[number], nth: number): void {
		const { marks } = this;
		const row = nth % marks.length;
		if (does === 'add') marks.splice(row, 0, this.newMark(this.areEqual));
		else if (does === 'edit') marks[row] = this.newMark(false);
		else if (does === 'move') marks.push(...marks.splice(row, 1));
		else if (marks.length > 1) marks.splice(row, 1);
	}

	/** Each time it is read, the sheet says so, in fields that no expression reads. */
	readonly read = (): Row[] => {
		this.reads += 1;
		const ms = Number.parseInt(this.mark.slice(-3), 36) % SLOWEST_MS;
		return this.marks.map((mark, index) => ({ mark, ms, row_number: index + 2, updated_at: this.reads }));
	};

	private newMark(isEqual: boolean): string {
		if (!isEqual) this.marksMade += 1;
		return `${this.mark}-${isEqual ? 0 : this.marksMade}`;
	}
}
