import { textOr, type Unchecked } from '../../decode';
import type { V1 } from '../../generated/v1';
import type { JobError } from '../../job';
import { idOr } from './fields';

/** Why a job failed, as `execution_error` frames, job reads and histories word it. */
export function decodeExecutionError(error: Unchecked<V1['ExecutionError']>): JobError {
	return {
		code: textOr(error.exception_type, 'unknown'),
		message: textOr(error.exception_message, ''),
		node_id: idOr(error.node_id),
		class_type: textOr(error.node_type, null),
		traceback: tracebackOf(error.traceback),
	};
}

/** Engines end each line of the list with a line feed, the hosted service does not. */
function tracebackOf(lines: unknown): string | null {
	if (!Array.isArray(lines)) return textOr(lines, null);
	return textOr(
		lines
			.filter((line) => typeof line === 'string')
			.map((line) => line.replace(/\n$/, ''))
			.join('\n'),
		null,
	);
}
