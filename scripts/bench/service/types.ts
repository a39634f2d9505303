/** How the stand-in behaves, and what it is told and asked by its starter. */
export interface ServiceSettings {
	/** Event streams at the same time; more are refused. Null for any number. */
	maxStreams: number | null;
	/** `newest`: its newest hundred, as the self-hosted proxy; `nothing`: 501, as the hosted surface. */
	lists: 'newest' | 'nothing';
	/** How long a job runs, in milliseconds. */
	jobMs: number;
	/** Jobs in flight at the same time; more are refused. Any number where absent. */
	maxJobs?: number | null;
}

export interface Counted {
	submits: number;
	refusedSubmits: number;
	reads: number;
	lists: number;
	streams: number;
	refusedStreams: number;
	downloads: number;
	/** Streams open at the same time. */
	mostStreams: number;
}

/** To the service. `begin`: a job begins now, without a request. */
export type Order = { do: 'start'; settings: ServiceSettings } | { do: 'begin'; jobId: string } | { do: 'report' };

/** From the service. */
export type Word =
	| { port: number }
	| { begun: string }
	| { counted: Counted; /** Job id → when it ended, by `sharedNow`. */ endedAt: Record<string, number> };
