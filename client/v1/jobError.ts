import { isRecord, textOr } from '../decode';
import { decodeExecutionError } from '../comfyui/frames/textFrame';
import type { JobError } from '../job';
import { failureCodeOf } from '../comfyui/jobRecords';

const SENTENCES: Readonly<Record<string, string>> = {
	lost: 'The service lost the job before it ended',
	non_retryable_error: 'The job failed, and would fail again',
};

/** What is known of a failure; a failed job has an error even where nothing is known. */
export interface ToldOfFailure {
	/** The service's own status word. */
	word: string;
	/** As a job read gives it. */
	executionError?: unknown;
	/** As the frames told it. */
	heard?: JobError | null;
	/** The status read's own words. */
	message?: unknown;
}

/** Why a job failed. `lost` and `non_retryable_error` say more than the error itself, so they are its code. */
export function failureOf({ word, executionError, heard, message }: ToldOfFailure): JobError {
	const told = isRecord(executionError) ? decodeExecutionError(executionError) : (heard ?? undefined);
	const type = exceptionTypeOf(executionError, heard);
	return {
		...told,
		code: failureCodeOf(word) ?? type ?? 'execution_error',
		message: textOr(told?.message, textOr(message, SENTENCES[word] ?? 'The job failed; the service does not say why')),
		node_id: told?.node_id ?? null,
		class_type: told?.class_type ?? null,
		traceback: told?.traceback ?? null,
		...(type !== undefined && { exception_type: type }),
	};
}

function exceptionTypeOf(executionError: unknown, heard: JobError | null | undefined): string | undefined {
	if (isRecord(executionError)) return textOr(executionError.exception_type, undefined);
	return heard?.code === 'unknown' ? undefined : heard?.code;
}
