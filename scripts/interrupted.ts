const PARENT_CHECK_MS = 500;

/**
 * Resolves on Ctrl-C or a termination signal. A signal sent to npm counts too: npm passes it on to its shell only,
 * which dies of it and leaves this process without a parent.
 */
export const interrupted = new Promise<void>((resolve) => {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
	const parent = process.ppid;
	setInterval(() => {
		if (process.ppid !== parent) resolve();
	}, PARENT_CHECK_MS).unref();
});
