import { defaultMaxWaitMinutes, maxWaitMinutes } from '../shared/descriptions/jobOptions';
import { readInputRows } from '../shared/inputs/rows';
import type { DownloadSettings } from '../shared/jobs/download/settings';
import { type FileSettings, readFileRows } from '../shared/jobs/files/rows';
import type { SubmitOptions, SubmitSettings } from '../shared/jobs/submit/settings';
import type { WaitSettings } from '../shared/jobs/wait';
import type { ReadParameter } from '../shared/operations';
import { locatorValue, numberOf, requiredText } from '../shared/parameters';
import type { OutputSettings } from './outputs';
import type { SeedSettings } from './seeds';

/** What each of the composed operations needs; none knows the job's id before it is submitted. */
export interface RunSettings {
	submit: SubmitSettings;
	files: FileSettings;
	seeds: SeedSettings;
	outputs: OutputSettings;
	wait: Omit<WaitSettings, 'jobId'>;
	save: Omit<DownloadSettings, 'jobId'>;
}

interface Options extends SubmitOptions {
	binaryPropertyName?: string;
	cancelOnTimeout?: boolean;
	firstSeed?: unknown;
	includePreviews?: boolean;
	maxWaitMinutes?: unknown;
	outputMode?: DownloadSettings['outputMode'];
	outputs?: { values?: Array<{ node?: unknown }> };
	seeds?: SeedSettings['mode'];
}

const MAX_WAIT_FIELD = maxWaitMinutes.displayName;

/** A row in which nothing was chosen yet is none. */
const chosenOutputs = ({ outputs }: Options): string[] =>
	(outputs?.values ?? []).map(({ node }) => String(locatorValue(node) ?? '').trim()).filter((name) => name !== '');

export function settings(read: ReadParameter, isTool: boolean): RunSettings {
	const options = read<Options>('options', {});
	const { cancelOnStop = true, cancelOnTimeout = false, outputMode = 'itemPerOutput' } = options;
	const maxWaitMs = numberOf(options.maxWaitMinutes ?? defaultMaxWaitMinutes(isTool), MAX_WAIT_FIELD, 0) * 60_000;
	return {
		submit: {
			workflowSource: 'json',
			workflow: read<unknown>('workflow'),
			workflowField: '',
			inputValues: options.inputValues ?? {},
			inputRows: readInputRows(read),
			inputFiles: [],
			extraData: options.extraData,
			sendPartnerKey: options.sendPartnerKey ?? false,
			keyMode: options.idempotencyKeyMode ?? 'automatic',
			customKey: options.idempotencyKey,
			keepTryingForMs: maxWaitMs,
			keepTryingField: MAX_WAIT_FIELD,
			cancelOnStop,
		},
		files: readFileRows(read),
		seeds: { mode: options.seeds ?? 'asIs', first: options.firstSeed },
		outputs: { chosen: chosenOutputs(options), includesPreviews: options.includePreviews ?? false },
		wait: { mode: 'live', maxWaitMs, startedAt: performance.now(), cancelOnStop, cancelOnTimeout },
		save: { outputMode, binaryField: requiredText(options.binaryPropertyName ?? 'data', 'Put Output File In Field'), filter: { nodeIds: [], types: [], names: [] } },
	};
}
