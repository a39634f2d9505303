import type { SandboxKeys, SandboxUrls } from '../../sandbox';

/** What the product is told of the service: what a credential needs. */
export interface Access {
	urls: SandboxUrls;
	keys: SandboxKeys;
}

/** What the product holds between two rounds of work, collected. */
export const MEASURES = ['heap MiB', 'external MiB', 'resident MiB', 'timers', 'sockets', 'other handles'] as const;
export type Measure = (typeof MEASURES)[number];

export interface Sample {
	/** Since the product began. */
	seconds: number;
	held: Record<Measure, number>;
	/** Runs of nodes until now, by how they ended. */
	succeeded: number;
	failed: number;
	/** Items that triggers have started executions with. */
	news: number;
}

/** From the parent to either of its children. */
export type Order = 'end' | 'round is over';
