import { type InputRow, readInputRows } from '../../inputs/rows';
import type { KeyOptions } from '../../customKeys';
import { type FileRow, readReferenceRows } from '../files/rows';
import type { ReadParameter } from '../../operations';
import { numberOf } from '../../parameters';

const KEEP_TRYING_FIELD = 'Keep Trying For (Seconds)';

export interface SubmitSettings {
	workflowSource: 'json' | 'file';
	/** An object, or its JSON text. */
	workflow: unknown;
	workflowField: string;
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

export interface SubmitOptions extends KeyOptions {
	cancelOnStop?: boolean;
	extraData?: unknown;
	inputValues?: unknown;
	keepTryingForSeconds?: number;
	sendPartnerKey?: boolean;
}

export function settings(read: ReadParameter): SubmitSettings {
	const options = read<SubmitOptions>('options', {});
	const workflowSource = read<SubmitSettings['workflowSource']>('workflowSource');
	return {
		workflowSource,
		workflow: workflowSource === 'json' ? read<unknown>('workflow') : undefined,
		workflowField: workflowSource === 'file' ? read<string>('workflowBinaryField') : '',
		inputValues: options.inputValues ?? {},
		inputRows: readInputRows(read),
		inputFiles: readReferenceRows(read),
		extraData: options.extraData,
		sendPartnerKey: options.sendPartnerKey ?? false,
		keyMode: options.idempotencyKeyMode ?? 'automatic',
		customKey: options.idempotencyKey,
		keepTryingForMs: numberOf(options.keepTryingForSeconds ?? 60, KEEP_TRYING_FIELD, 0) * 1000,
		keepTryingField: KEEP_TRYING_FIELD,
		cancelOnStop: options.cancelOnStop ?? true,
	};
}
