/**
 * n8n's engine in a process of its own that can be asked to stop. It says `ready`, is told what to run, and tells how it
 * all ended. Like n8n it listens once to the signal, where it is told to, and lets what runs come to its end.
 *
 * node --import tsx shutdownChild.ts, with a channel to its parent
 */
import './typescriptFirst';

import { type NodeResult, type NodeRun, runNode } from './engine';

export interface ShutdownTask {
	runs: NodeRun[];
	/** Whether the process has a handler of its own, as n8n has. */
	isHandled: boolean;
	/** Run after all that, when the signal has come. */
	later?: NodeRun[];
}

export interface ShutdownReport {
	results: Array<NodeResult & { endedAt: number }>;
	later: NodeResult[];
	/** Handlers of SIGTERM and SIGINT: before anything ran, while it ran, and after the signal. */
	listeners: Record<'before' | 'during' | 'after', number[]>;
	warnings: string[];
}

const listeners = (): number[] => [process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')];

async function main({ runs, isHandled, later = [] }: ShutdownTask): Promise<ShutdownReport> {
	const warnings: string[] = [];
	process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`));
	if (isHandled) for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => undefined);
	const before = listeners();
	const running = runs.map(async (run) => ({ ...(await runNode(run)), endedAt: Date.now() }));
	while (runs.length > 0 && listeners().every((count, index) => count === before[index]))
		await new Promise((resolve) => setTimeout(resolve, 5));
	const during = listeners();
	const results = await Promise.all(running);
	const after = listeners();
	return { results, later: await Promise.all(later.map(runNode)), listeners: { before, during, after }, warnings };
}

process.once('message', (task) => {
	void main(task as ShutdownTask).then((report) => process.send?.(report, () => process.exit(0)));
});
process.send?.('ready');
