import { isRecord, type JsonRecord, recordOf, requireRecord, textOr, type Unchecked } from '../../json/decode';
import { ShapeError } from '../../errors/errors';
import type { V1 } from '../../generated/v1';
import type { JobError } from '../../ports/job';
import { decodeTraceback } from '../traceback';
import { countOr, type Frame, idOr, type NodeState, requireId } from './frame';

/**
 * Decodes a text message.
 * @param length of the text, in characters.
 * @throws ShapeError if the JSON is not `{type, data}`, or if a known type lacks a required field.
 */
export function decodeText(json: unknown, length: number): Frame {
	const { type, data } = requireRecord(json, 'the frame');
	if (typeof type !== 'string') throw new ShapeError('type is missing');
	if (!isKnown(type)) return { kind: 'other', type, data: data ?? null, jobId: isRecord(data) ? idOr(data.prompt_id) : null };
	return decodeKnown(type, requireRecord(data, `data of ${type}`), length);
}

const KNOWN_TYPES = [
	'status',
	'notification',
	'execution_start',
	'executing',
	'progress',
	'progress_state',
	'executed',
	'execution_cached',
	'execution_success',
	'execution_error',
	'execution_interrupted',
] as const;
type KnownType = (typeof KNOWN_TYPES)[number];

const known: ReadonlySet<string> = new Set(KNOWN_TYPES);
const isKnown = (type: string): type is KnownType => known.has(type);

function decodeKnown(kind: KnownType, data: JsonRecord, length: number): Frame {
	switch (kind) {
		case 'status':
			return { kind, queueRemaining: queueRemainingOf(data), sid: textOr(data.sid, null) };
		case 'notification':
			return { kind, text: textOr(data.value, ''), jobId: idOr(data.prompt_id) };
		case 'executing':
			return { kind, jobId: idOr(data.prompt_id), nodeId: idOr(data.node) };
		case 'progress':
			return { kind, jobId: idOr(data.prompt_id), nodeId: idOr(data.node), value: countOr(data.value, 0), max: countOr(data.max, 0) };
		case 'progress_state':
			return { kind, jobId: jobIdOf(data), nodes: nodeStatesOf(requireRecord(data.nodes, 'nodes')) };
		case 'executed':
			return {
				kind,
				jobId: jobIdOf(data),
				nodeId: requireId(data.node, 'node'),
				output: recordOf(data.output),
				length,
			};
		case 'execution_cached':
			return { kind, jobId: jobIdOf(data), nodeIds: idsOf(data.nodes) };
		case 'execution_error':
			return { kind, jobId: jobIdOf(data), job_error: decodeExecutionError(data) };
		case 'execution_start':
		case 'execution_success':
		case 'execution_interrupted':
			return { kind, jobId: jobIdOf(data) };
	}
}

const jobIdOf = (data: JsonRecord): string => requireId(data.prompt_id, 'prompt_id');

function queueRemainingOf({ status }: JsonRecord): number | null {
	const info = recordOf(recordOf(status).exec_info);
	return countOr(info.queue_remaining, null);
}

function nodeStatesOf(nodes: JsonRecord): NodeState[] {
	const states: NodeState[] = [];
	for (const key in nodes) {
		const nodeId = idOr(key);
		const node = nodes[key];
		if (nodeId === null || !isRecord(node)) continue;
		states.push({ nodeId, value: countOr(node.value, 0), max: countOr(node.max, 0), state: textOr(node.state, 'running') });
	}
	return states;
}

const idsOf = (ids: unknown): string[] => (Array.isArray(ids) ? ids.map(idOr).filter((id) => id !== null) : []);

/** Decodes why a job failed. `execution_error` messages, job reads and histories have the same fields. */
export function decodeExecutionError(error: Unchecked<V1['ExecutionError']>): JobError {
	return {
		code: textOr(error.exception_type, 'unknown'),
		message: textOr(error.exception_message, ''),
		node_id: idOr(error.node_id),
		class_type: textOr(error.node_type, null),
		traceback: decodeTraceback(error.traceback),
	};
}
