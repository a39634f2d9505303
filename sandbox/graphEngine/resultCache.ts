import { bytesHeld, type Value } from './values';

/** Counted for every entry, so that a long row of empty results is bounded too. */
const ENTRY_COST_BYTES = 1024;

/** Results of earlier runs by signature; the ones used longest ago make room. */
export class ResultCache {
	private readonly entries = new Map<string, { values: Value[]; cost: number }>();
	private held = 0;

	constructor(private readonly limitBytes: number) {}

	get(signature: string): Value[] | undefined {
		const entry = this.entries.get(signature);
		if (!entry) return undefined;
		this.entries.delete(signature);
		this.entries.set(signature, entry);
		return entry.values;
	}

	set(signature: string, values: Value[]): void {
		const cost = values.reduce((sum, value) => sum + bytesHeld(value), ENTRY_COST_BYTES);
		this.remove(signature);
		if (cost > this.limitBytes) return;
		this.entries.set(signature, { values, cost });
		this.held += cost;
		for (const oldest of this.entries.keys()) {
			if (this.held <= this.limitBytes) break;
			this.remove(oldest);
		}
	}

	private remove(signature: string): void {
		this.held -= this.entries.get(signature)?.cost ?? 0;
		this.entries.delete(signature);
	}
}
