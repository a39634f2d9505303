import type { ItemContext } from '../../operation';
import { readWorkflowSource, type WorkflowSource } from '../../workflows/source';
import { type InputRow, readInputRows } from '../../inputs/rows';
import type { KeyOptions } from '../../submission/customKeys';
import { type FileRow, readReferenceRows } from '../../inputFiles/rows';
import { enteredNumber, type ReadParameter } from '../../parameters';

const KEEP_TRYING_FIELD = 'Keep Trying For (Seconds)';

export interface SubmitSettings {
	source: WorkflowSource;
	/** An object of values by node and input, or its JSON text. */
	inputValues: unknown;
	/** They win over Input Values. */
	inputRows: InputRow[];
	/** Files that the service has. */
	inputFiles: FileRow[];
	extraData: unknown;
	sendPartnerKey: boolean;
	keyMode: NonNullable<KeyOptions['idempotencyKeyMode']>;
	customKey: unknown;
	keepTryingForMs: number;
	/** The label of the field that says so. */
	keepTryingField: string;
	cancelOnStop: boolean;
}

export type SubmitContext = ItemContext<SubmitSettings>;

export interface SubmissionOptions extends KeyOptions {
	cancelOnStop?: boolean;
	extraData?: unknown;
	inputValues?: unknown;
	keepTryingForSeconds?: number;
	sendPartnerKey?: boolean;
}

export function settings(read: ReadParameter): SubmitSettings {
	const options = read<SubmissionOptions>('options', {});
	return {
		source: readWorkflowSource(read),
		inputValues: options.inputValues ?? {},
		inputRows: readInputRows(read),
		inputFiles: readReferenceRows(read),
		extraData: options.extraData,
		sendPartnerKey: options.sendPartnerKey ?? false,
		keyMode: options.idempotencyKeyMode ?? 'automatic',
		customKey: options.idempotencyKey,
		keepTryingForMs: enteredNumber(options.keepTryingForSeconds ?? 60, KEEP_TRYING_FIELD, 0) * 1000,
		keepTryingField: KEEP_TRYING_FIELD,
		cancelOnStop: options.cancelOnStop ?? true,
	};
}
