/** Resident memory above rest, in MiB. Node runs with `--expose-gc`. */
const MIB = 1024 * 1024;

export class MemoryAboveRest {
	private readonly restMib = afterCollection();
	private readonly timer: NodeJS.Timeout;
	peakMib = 0;

	constructor(everyMs = 100) {
		this.timer = setInterval(() => (this.peakMib = Math.max(this.peakMib, residentMib() - this.restMib)), everyMs);
	}

	/** Without what is only garbage. */
	heldMib(): number {
		return afterCollection() - this.restMib;
	}

	stop(): void {
		clearInterval(this.timer);
	}
}

const residentMib = (): number => process.memoryUsage.rss() / MIB;

function afterCollection(): number {
	(globalThis as { gc?: () => void }).gc?.();
	return residentMib();
}
