import { isRecord, parseExact } from '../../../../client';
import { ItemFault } from '../../itemFault';
import { fieldOf } from '../../messages/words';
import type { ItemContext } from '../../operation';
import { readWorkflowSource, type WorkflowSource } from '../../workflows/source';
import { type InputRow, readInputRows } from '../../inputs/rows';
import type { KeyOptions } from '../../submission/keys';
import { type FileRow, readReferenceRows } from '../../inputFiles/rows';
import { enteredNumber, type ReadParameter } from '../../parameters';

const KEEP_TRYING_FIELD = 'Keep Trying For (Seconds)';

export interface SubmitSettings {
	source: WorkflowSource;
	/** An object of values by node and input, or its JSON text. */
	inputValues: unknown;
	/** They take precedence over Input Values. */
	inputRows: InputRow[];
	/** Files that the service already has. */
	inputFiles: FileRow[];
	extraData: unknown;
	sendPartnerKey: boolean;
	keyMode: NonNullable<KeyOptions['idempotencyKeyMode']>;
	customKey: unknown;
	keepTryingForMs: number;
	/** The label of the field that sets `keepTryingForMs`. */
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

/** The text itself stays out of the message, because extra data may hold keys. */
function parseExtraData(extraData: unknown): Record<string, unknown> {
	let value: unknown = extraData ?? {};
	try {
		if (typeof value === 'string') value = value.trim() === '' ? {} : parseExact(value);
	} catch {
		value = undefined;
	}
	if (isRecord(value)) return value;
	throw new ItemFault('Extra Data is not a JSON object', 'Nothing was sent. Enter an object such as {}, or remove the option.');
}

/** What is sent with the workflow: the user's extra data and, if requested, the partner key. @throws ItemFault */
export function readExtraData({ settings, credential }: SubmitContext): Record<string, unknown> {
	const extraData = parseExtraData(settings.extraData);
	if (!settings.sendPartnerKey) return extraData;
	if (credential.partnerKey === '') {
		throw new ItemFault(
			'Partner API Key is empty',
			`Nothing was sent. Enter ${fieldOf('Partner API Key', credential.displayName)}, or turn off Send Key To Partner Nodes.`,
		);
	}
	return { ...extraData, [credential.partnerKeyField]: credential.partnerKey };
}
