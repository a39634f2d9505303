import { isRecord, parseExact } from '../../../../client';
import { ItemFault } from '../../itemFault';
import type { ItemRun } from '../../operation';
import { readOptions, type SettingsOf } from '../../options';
import { readWorkflowSource, type WorkflowSource } from '../../workflows/source';
import { type InputRow, readInputRows } from '../../inputs/rows';
import type { FileRow } from '../../inputFiles/rows';
import type { ReadParameter } from '../../parameters';
import { readPartnerFields } from '../partnerFields';
import { submitOptions } from './options';
import { messages } from '../../messages/catalogue';

/** How a workflow is sent. */
export interface SendSettings extends Omit<SettingsOf<typeof submitOptions>, 'inputValues'> {
	keepTryingForMs: number;
	/** The label of the field that sets `keepTryingForMs`. */
	keepTryingField: string;
	cancelOnStop: boolean;
	/** Whether the item waits for its job. */
	isAwaited: boolean;
}

/** What an item submits, as far as all nodes read it alike. */
type EnteredSubmission = SettingsOf<typeof submitOptions> & {
	source: WorkflowSource;
	/** They take precedence over Input Values. */
	inputRows: InputRow[];
};

export interface SubmitSettings extends SendSettings, EnteredSubmission {
	/** Files that the service already has. */
	inputFiles: FileRow[];
}

export const readSubmitSettings = (read: ReadParameter): EnteredSubmission => ({
	...readOptions(submitOptions, read),
	source: readWorkflowSource(read),
	inputRows: readInputRows(read),
});

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
export function readExtraData(item: ItemRun, settings: SendSettings): Record<string, unknown> {
	const extraData = parseExtraData(settings.extraData);
	return settings.sendPartnerKey ? { ...extraData, ...readPartnerFields(item) } : extraData;
}
