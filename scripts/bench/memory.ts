const MIB = 1024 * 1024;

/** Resident memory above rest, in MiB. Node runs with `--expose-gc`. */
export class MemoryAboveRest {
	private readonly restMib = afterCollection();
	private timer?: NodeJS.Timeout;
	peakMib = 0;

	constructor(private readonly everyMs = 100) {}

	begin(): void {
		this.timer = setInterval(() => this.sample(), this.everyMs);
	}

	end(): void {
		clearInterval(this.timer);
		this.sample();
	}

	/** Without what is only garbage. */
	heldMib(): number {
		return afterCollection() - this.restMib;
	}

	private sample(): void {
		this.peakMib = Math.max(this.peakMib, residentMib() - this.restMib);
	}
}

const residentMib = (): number => process.memoryUsage.rss() / MIB;

function afterCollection(): number {
	(globalThis as { gc?: () => void }).gc?.();
	return residentMib();
}
