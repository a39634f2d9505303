import { onAbort } from '../../../client';

/** n8n and its workers stop on these signals: they take no new executions and give running ones some time, 30 s by default. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
type SignalName = (typeof SIGNALS)[number];

type SignalHost = Pick<NodeJS.Process, 'prependListener' | 'removeListener' | 'listenerCount' | 'kill' | 'pid'>;

/** Listens for the signals that stop the process, with one handler for all running nodes and none while no node runs. */
class ShutdownWatch {
	private readonly controller = new AbortController();
	private readonly handlers = SIGNALS.map((name) => ({ name, handle: () => this.handle(name) }));
	private running = 0;

	constructor(private readonly host: SignalHost) {}

	/** Fires on the first signal. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Listens until the returned function is called. */
	begin(): () => void {
		this.running++;
		if (this.running === 1) this.listen();
		let hasEnded = false;
		return () => {
			if (hasEnded) return;
			hasEnded = true;
			this.running--;
			if (this.running === 0) this.stopListening();
		};
	}

	/** This handler runs before n8n's own, which removes itself when it is called. */
	private listen(): void {
		if (this.controller.signal.aborted) return;
		for (const { name, handle } of this.handlers) this.host.prependListener(name, handle);
	}

	private stopListening(): void {
		for (const { name, handle } of this.handlers) this.host.removeListener(name, handle);
	}

	/** Handles only the first signal. A second one has its usual effect. */
	private handle(name: SignalName): void {
		this.stopListening();
		if (this.host.listenerCount(name) > 0) this.controller.abort();
		// Without another handler the process ends by the signal, as it would if this one had not existed.
		else this.host.kill(this.host.pid, name);
	}
}

/** Watches the signals of this process. */
export const shutdown = new ShutdownWatch(process);

/** Watches for one run of a node until `end` is called: `shutdownSignal` fires with the run's own signal and when n8n shuts down. */
export function watchShutdown(signal: AbortSignal, watch = shutdown): { shutdownSignal: AbortSignal; end(): void } {
	const controller = new AbortController();
	const abort = (): void => controller.abort();
	const sources = [signal, watch.signal];
	const ends = [watch.begin(), ...sources.map((source) => onAbort(source, abort))];
	if (sources.some(({ aborted }) => aborted)) abort();
	return { shutdownSignal: controller.signal, end: () => ends.forEach((end) => end()) };
}
