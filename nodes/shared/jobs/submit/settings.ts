import { isRecord, parseExact, type PlacementOptions } from '../../../../client';
import { whenServerLost } from '../../descriptions/jobFields';
import { ItemFault, requireChoice } from '../../itemFault';
import type { ItemContext } from '../../operation';
import { readWorkflowSource, type WorkflowSource } from '../../workflows/source';
import { type InputRow, readInputRows } from '../../inputs/rows';
import type { KeyOptions } from '../../submission/keys';
import { type FileRow, readReferenceRows } from '../../inputFiles/rows';
import { enteredNumber, type ReadParameter } from '../../parameters';
import { readPartnerFields } from '../partnerFields';
import { readRunFailedJobsAgain, type RunFailedJobsAgain } from './runAgain';
import { messages } from '../../messages/catalogue';

const KEEP_TRYING_FIELD = 'Keep Trying For (Seconds)';

/** How a workflow is sent. */
export interface SendSettings {
	extraData: unknown;
	sendPartnerKey: boolean;
	keyMode: NonNullable<KeyOptions['idempotencyKeyMode']>;
	customKey: unknown;
	keepTryingForMs: number;
	/** The label of the field that sets `keepTryingForMs`. */
	keepTryingField: string;
	cancelOnStop: boolean;
	runFailedJobsAgain: RunFailedJobsAgain;
	/** How a pool of servers treats the job. */
	placement: Pick<PlacementOptions, 'isAwaited' | 'whenLost'>;
}

export interface SubmitSettings extends SendSettings {
	source: WorkflowSource;
	/** An object of values by node and input, or its JSON text. */
	inputValues: unknown;
	/** They take precedence over Input Values. */
	inputRows: InputRow[];
	/** Files that the service already has. */
	inputFiles: FileRow[];
}

export type SendContext = ItemContext<SendSettings>;

export type SubmitContext = ItemContext<SubmitSettings>;

export interface SubmissionOptions extends KeyOptions {
	cancelOnStop?: boolean;
	extraData?: unknown;
	inputValues?: unknown;
	keepTryingForSeconds?: number;
	runFailedJobsAgain?: unknown;
	sendPartnerKey?: boolean;
	whenServerLost?: unknown;
}

/** @throws ItemFault for an unknown choice, which an expression may return. */
export const readWhenLost = ({ whenServerLost: chosen = 'report' }: SubmissionOptions): PlacementOptions['whenLost'] =>
	requireChoice(chosen, ['report', 'runElsewhere'], whenServerLost.displayName, ' in Options');

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
		runFailedJobsAgain: readRunFailedJobsAgain(options),
		placement: { isAwaited: false, whenLost: readWhenLost(options) },
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
	throw new ItemFault(messages.EXTRA_DATA_NOT_AN_OBJECT());
}

/** What is sent with the workflow: the user's extra data and, if requested, the partner key and token. @throws ItemFault */
export function readExtraData(context: SendContext): Record<string, unknown> {
	const extraData = parseExtraData(context.settings.extraData);
	return context.settings.sendPartnerKey ? { ...extraData, ...readPartnerFields(context) } : extraData;
}
