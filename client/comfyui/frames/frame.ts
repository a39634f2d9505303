import { type JsonRecord, numberOr } from '../../json/decode';
import { ShapeError } from '../../errors/errors';
import type { JobError } from '../../ports/job';
import { parseJson } from '../../transport/parseJson';

/**
 * The content of one WebSocket message. Job ids are null if the service left them out. Numbers are finite and not
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
	/** A node's results, undecoded; `length`: of the whole message, in characters. */
	| { kind: 'executed'; jobId: string; nodeId: string; output: JsonRecord; length: number }
	| { kind: 'execution_cached'; jobId: string; nodeIds: string[] }
	| { kind: 'execution_success'; jobId: string }
	| { kind: 'execution_error'; jobId: string; job_error: JobError }
	| { kind: 'execution_interrupted'; jobId: string }
	| { kind: 'preview'; jobId: string | null; nodeId: string | null; contentType: string; data: Uint8Array }
	| { kind: 'progress_text'; nodeId: string | null; text: string }
	/** A text message of an unknown type. */
	| { kind: 'other'; type: string; data: unknown; jobId: string | null }
	| { kind: 'malformed'; reason: string };

export interface NodeState {
	nodeId: string;
	value: number;
	max: number;
	/** `pending`, `running`, `finished` or `error`; unknown values pass through. */
	state: string;
}

/** Real ids are much shorter. The limit keeps a broken service from filling the memory, because jobs and nodes are kept by id. */
const LONGEST_ID = 512;

/** Returns the id as text, also if it is a number; null if there is none. */
export function idOr(value: unknown): string | null {
	const id = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
	return typeof id === 'string' && id !== '' && id.length <= LONGEST_ID ? id : null;
}

/** @throws ShapeError if there is no id. */
export function requireId(value: unknown, what: string): string {
	const id = idOr(value);
	if (id === null) throw new ShapeError(`${what} is missing`);
	return id;
}

/** Returns a number of steps or nodes: finite, and not below 0. */
export const countOr = <T>(value: unknown, otherwise: T): number | T => {
	const count = numberOr(value, null);
	return count === null ? otherwise : Math.max(0, count);
};

/** No message of a service nests this deep. Deeper JSON would exhaust the stack of the code that serializes it again. */
const DEEPEST_LEVEL = 100;

/** @throws ShapeError if the text is not JSON, or nests too deep. */
export function parseFrameText(text: string): unknown {
	const json = parseOrUndefined(text);
	if (json === undefined) throw new ShapeError('the text is not JSON');
	if (hasMoreThan(DEEPEST_LEVEL, text) && isDeeperThan(json, DEEPEST_LEVEL)) throw new ShapeError('the JSON has too many nested levels');
	return json;
}

/** The parser's own error is dropped, because it quotes the text. */
function parseOrUndefined(text: string): unknown {
	try {
		return parseJson(text);
	} catch {
		return undefined;
	}
}

/** Whether the text opens more objects and lists than this. A cheap check before the full walk, which costs as much as parsing. */
function hasMoreThan(levels: number, text: string): boolean {
	let count = 0;
	for (const begin of ['{', '['])
		for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, at + 1)) if (++count > levels) return true;
	return false;
}

function isDeeperThan(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	for (const name in value) if (isDeeperThan((value as JsonRecord)[name], levels - 1)) return true;
	return false;
}
