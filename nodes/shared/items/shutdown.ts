import { onAbort } from '../../../client';

/** By these n8n and its workers are asked to stop: they take nothing new, and give what runs some time (30 s by default). */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
type SignalName = (typeof SIGNALS)[number];

type Host = Pick<NodeJS.Process, 'prependListener' | 'removeListener' | 'listenerCount' | 'kill' | 'pid'>;

/** Hears of a process being asked to stop, by one handler for all that runs in it, and none while nothing runs. */
class ShutdownWatch {
	private readonly asked = new AbortController();
	private readonly handlers = SIGNALS.map((name) => ({ name, heard: () => this.heard(name) }));
	private running = 0;

	constructor(private readonly host: Host) {}

	/** Fires when it is asked to stop; there is no way back. */
	get signal(): AbortSignal {
		return this.asked.signal;
	}

	/** Listens until what is returned is called. */
	begin(): () => void {
		this.running++;
		if (this.running === 1) this.listen();
		let isOver = false;
		return () => {
			if (isOver) return;
			isOver = true;
			this.running--;
			if (this.running === 0) this.leave();
		};
	}

	/** Before the others: n8n's own handler takes itself off when it is called. */
	private listen(): void {
		if (this.asked.signal.aborted) return;
		for (const { name, heard } of this.handlers) this.host.prependListener(name, heard);
	}

	private leave(): void {
		for (const { name, heard } of this.handlers) this.host.removeListener(name, heard);
	}

	/** Called once: a second signal does what it would do without us. */
	private heard(name: SignalName): void {
		this.leave();
		if (this.host.listenerCount(name) > 0) this.asked.abort();
		// A process that nobody stops with care ends by its signal, as if we had not listened.
		else this.host.kill(this.host.pid, name);
	}
}

/** Of this process. */
export const shutdown = new ShutdownWatch(process);

/** For one run of a node: `leaving` fires with its own signal, and when n8n is asked to stop. Nothing is listened to after `end`. */
export function leavingOf(signal: AbortSignal, watch = shutdown): { leaving: AbortSignal; end(): void } {
	const controller = new AbortController();
	const leave = (): void => controller.abort();
	const sources = [signal, watch.signal];
	const ends = [watch.begin(), ...sources.map((source) => onAbort(source, leave))];
	if (sources.some(({ aborted }) => aborted)) leave();
	return { leaving: controller.signal, end: () => ends.forEach((end) => end()) };
}
