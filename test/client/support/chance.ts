/** Chance that is the same again for the same seed. */
export class Chance {
	constructor(private state: number) {}

	/** 0 to 1, without 1 (mulberry32). */
	next(): number {
		this.state = (this.state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	/** A whole number from 0, less than `end`. */
	below(end: number): number {
		return Math.floor(this.next() * end);
	}

	oneOf<T>(list: readonly T[]): T {
		return list[this.below(list.length)] as T;
	}

	bytes(length: number): Buffer {
		return Buffer.from(Array.from({ length }, () => this.below(256)));
	}

	/** A copy with bytes changed, taken away, doubled or added. */
	mutated(original: Buffer): Buffer {
		let bytes = Buffer.from(original);
		for (let change = this.below(4); change >= 0; change--) {
			const at = this.below(bytes.byteLength + 1);
			const until = at + this.below(20);
			const inserted = this.oneOf([
				this.bytes(1),
				Buffer.from('null'),
				Buffer.from('-1e999'),
				Buffer.from('{"a":[]}'),
				bytes.subarray(at, until),
			]);
			const skipped = this.oneOf([at, at + 1, until, bytes.byteLength]);
			bytes = Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(skipped)]);
		}
		return bytes;
	}

	/** Any JSON value, nested at most so deep; with the names that frames use. */
	json(depth: number): unknown {
		const kind = this.below(depth > 0 ? 9 : 6);
		if (kind < 6)
			return this.oneOf([
				null,
				true,
				-1,
				1e308,
				this.next(),
				this.below(30),
				'',
				'running',
				'x'.repeat(this.below(600)),
				`job-${this.below(1_000)}`,
			]);
		if (kind === 6) return Array.from({ length: this.below(4) }, () => this.json(depth - 1));
		const names = [
			'prompt_id',
			'node',
			'nodes',
			'value',
			'max',
			'state',
			'output',
			'images',
			'filename',
			'status',
			'exec_info',
			'__proto__',
			String(this.below(50)),
		];
		return Object.fromEntries(Array.from({ length: this.below(6) }, () => [this.oneOf(names), this.json(depth - 1)]));
	}
}
