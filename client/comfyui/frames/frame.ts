import type { JobError } from '../../job';
import type { JsonRecord } from '../../decode';

/**
 * What one WebSocket message says. Job ids are null where the service left them out. Numbers are finite and not
 * negative.
 */
export type Frame =
	| { kind: 'status'; queueRemaining: number | null; sid: string | null }
	| { kind: 'notification'; text: string; jobId: string | null }
	| { kind: 'execution_start'; jobId: string }
	/** A node began to run; null: the execution has finished. */
	| { kind: 'executing'; jobId: string | null; nodeId: string | null }
	| { kind: 'progress'; jobId: string | null; nodeId: string | null; value: number; max: number }
	| { kind: 'progress_state'; jobId: string; nodes: NodeState[] }
	/** A node's results as they came; `length`: of the whole message, in characters. */
	| { kind: 'executed'; jobId: string; nodeId: string; output: JsonRecord; length: number }
	| { kind: 'execution_cached'; jobId: string; nodeIds: string[] }
	| { kind: 'execution_success'; jobId: string }
	| { kind: 'execution_error'; jobId: string; job_error: JobError }
	| { kind: 'execution_interrupted'; jobId: string }
	| { kind: 'preview'; jobId: string | null; nodeId: string | null; contentType: string; data: Uint8Array }
	| { kind: 'progress_text'; nodeId: string | null; text: string }
	/** A text type that is new to us. */
	| { kind: 'other'; type: string; data: unknown; jobId: string | null }
	| { kind: 'malformed'; reason: string };

export interface NodeState {
	nodeId: string;
	value: number;
	max: number;
	/** `pending`, `running`, `finished` or `error`; other words pass through. */
	state: string;
}
