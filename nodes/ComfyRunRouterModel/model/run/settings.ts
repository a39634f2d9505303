import { isRecord } from '../../../../client';
import type { KeyOptions } from '../../../shared/submission/keys';
import { enteredNumber, enteredText, type ReadParameter } from '../../../shared/parameters';
import { readModelId } from '../../models';
import type { InputFileRow } from './inputFiles';

type SeedMode = 'asIs' | 'random';

export interface ModelRunSettings {
	model: string;
	inputMode: 'form' | 'json';
	/** By the ids of the form's fields. */
	formValues: Record<string, unknown>;
	/** An object or its JSON text. */
	inputJson: unknown;
	inputFiles: InputFileRow[];
	seeds: SeedMode;
	isQueued: boolean;
	maxWaitMs: number;
	keyMode: NonNullable<KeyOptions['idempotencyKeyMode']>;
	customKey: unknown;
	/** Infinity if there is no limit. */
	runLimit: number;
	binaryField: string;
	downloadFiles: boolean;
	largestFileBytes: number;
	query: Record<string, string>;
}

interface ModelRunOptions extends KeyOptions {
	binaryPropertyName?: string;
	downloadResultFiles?: boolean;
	fallbackProvider?: boolean;
	largestResultFileMb?: number;
	limitRuns?: number;
	modelProvider?: string;
	rejectUnknownFields?: boolean;
	seeds?: SeedMode;
	strictMode?: boolean;
}

const MEGABYTE = 1_000_000;
export const DEFAULT_LARGEST_RESULT_MB = 1_000;

/** Returns the options that the user has set, as query parameters. Queued requests cannot fall back to another provider. */
function toQuery(options: ModelRunOptions, isQueued: boolean): Record<string, string> {
	const provider = (options.modelProvider ?? '').trim();
	const entries: Array<[string, string | boolean | undefined]> = [
		['model_provider', provider === '' ? undefined : provider],
		['strict_mode', options.strictMode],
		['fallback_provider', isQueued ? undefined : options.fallbackProvider],
		['reject_unknown_fields', options.rejectUnknownFields],
	];
	return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
}

/** Reads the whole parameter, because n8n would turn texts of single fields into numbers. */
function readFormValues(form: unknown): Record<string, unknown> {
	const value = isRecord(form) ? form.value : undefined;
	return isRecord(value) ? value : {};
}

export function settings(read: ReadParameter): ModelRunSettings {
	const options = read<ModelRunOptions>('options', {});
	const inputMode = read<ModelRunSettings['inputMode']>('inputMode', 'form');
	const isQueued = read<string>('delivery', 'synchronous') === 'queued';
	return {
		model: readModelId(read),
		inputMode,
		formValues: inputMode === 'form' ? readFormValues(read<unknown>('form', {})) : {},
		inputJson: inputMode === 'json' ? read<unknown>('inputJson', '{}') : undefined,
		inputFiles: read<{ values?: InputFileRow[] }>('inputFiles', {}).values ?? [],
		seeds: options.seeds ?? 'asIs',
		isQueued,
		maxWaitMs: enteredNumber(read<unknown>('maxWaitMinutes', 60), 'Max Wait (Minutes)', 0) * 60_000,
		keyMode: options.idempotencyKeyMode ?? 'automatic',
		customKey: options.idempotencyKey,
		runLimit: options.limitRuns === undefined ? Infinity : enteredNumber(options.limitRuns, 'Limit Runs Per Execution', 0),
		binaryField: enteredText(options.binaryPropertyName ?? 'data', 'Put Output File In Field'),
		downloadFiles: options.downloadResultFiles ?? true,
		largestFileBytes: enteredNumber(options.largestResultFileMb ?? DEFAULT_LARGEST_RESULT_MB, 'Largest Result File (MB)', 0) * MEGABYTE,
		query: toQuery(options, isQueued),
	};
}
