import { isRecord } from '../../../../client';
import { readOptions, type SettingsOf } from '../../../shared/options';
import { enteredNumber, type ReadParameter } from '../../../shared/parameters';
import { readModelId } from '../../models';
import type { InputFileRow } from './inputFiles';
import { inputOptions, routingOptions, runOptions } from './options';

/** What the body of a request consists of. */
export interface ModelInputSettings extends SettingsOf<typeof inputOptions> {
	model: string;
	inputMode: 'form' | 'json';
	/** By the ids of the form's fields. */
	formValues: Record<string, unknown>;
	/** An object or its JSON text. */
	inputJson: unknown;
	inputFiles: InputFileRow[];
}

export interface ModelRunSettings extends ModelInputSettings, SettingsOf<typeof runOptions> {
	isQueued: boolean;
	maxWaitMs: number;
	query: Record<string, string>;
}

/** Returns the options that the user has set, as query parameters. Queued requests cannot fall back to another provider. */
function readQuery(read: ReadParameter, isQueued: boolean): Record<string, string> {
	const parameters = Object.entries(readOptions(routingOptions, read));
	return Object.fromEntries(
		parameters.flatMap(([name, value]) => (value === undefined || (isQueued && name === 'fallback_provider') ? [] : [[name, value]])),
	);
}

/** Reads the whole parameter, because n8n would turn texts of single fields into numbers. */
function readFormValues(form: unknown): Record<string, unknown> {
	const value = isRecord(form) ? form.value : undefined;
	return isRecord(value) ? value : {};
}

export function readInputSettings(read: ReadParameter): ModelInputSettings {
	const inputMode = read<ModelInputSettings['inputMode']>('inputMode', 'form');
	return {
		model: readModelId(read),
		inputMode,
		formValues: inputMode === 'form' ? readFormValues(read<unknown>('form', {})) : {},
		inputJson: inputMode === 'json' ? read<unknown>('inputJson', '{}') : undefined,
		inputFiles: read<{ values?: InputFileRow[] }>('inputFiles', {}).values ?? [],
		...readOptions(inputOptions, read),
	};
}

export function settings(read: ReadParameter): ModelRunSettings {
	const isQueued = read<string>('delivery', 'synchronous') === 'queued';
	return {
		...readInputSettings(read),
		isQueued,
		maxWaitMs: enteredNumber(read<unknown>('maxWaitMinutes', 60), 'Max Wait (Minutes)', 0) * 60_000,
		query: readQuery(read, isQueued),
		...readOptions(runOptions, read),
	};
}
