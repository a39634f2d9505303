import type { DownloadSettings } from '../shared/jobs/download/settings';
import type { SubmitSettings } from '../shared/jobs/submit/settings';
import type { WaitSettings } from '../shared/jobs/wait';
import type { ReadParameter } from '../shared/operations';
import { numberOf, requiredText } from '../shared/parameters';

/** What each of the composed operations needs; none knows the job's id before it is submitted. */
export interface RunSettings {
	submit: SubmitSettings;
	wait: Omit<WaitSettings, 'jobId'>;
	save: Omit<DownloadSettings, 'jobId'>;
}

interface Options {
	binaryPropertyName?: string;
	cancelOnStop?: boolean;
	cancelOnTimeout?: boolean;
	inputValues?: unknown;
	maxWaitMinutes?: unknown;
	outputMode?: DownloadSettings['outputMode'];
}

const MAX_WAIT_FIELD = 'Max Wait (Minutes)';
const DEFAULT_MAX_WAIT_MINUTES = 60;

export function settings(read: ReadParameter): RunSettings {
	const options = read<Options>('options', {});
	const { cancelOnStop = true, cancelOnTimeout = false, outputMode = 'itemPerOutput' } = options;
	const maxWaitMs = numberOf(options.maxWaitMinutes ?? DEFAULT_MAX_WAIT_MINUTES, MAX_WAIT_FIELD, 0) * 60_000;
	return {
		submit: {
			workflowSource: 'json',
			workflow: read<unknown>('workflow'),
			workflowField: '',
			inputValues: options.inputValues ?? {},
			inputFiles: [],
			extraData: undefined,
			sendPartnerKey: false,
			keyMode: 'automatic',
			customKey: undefined,
			keepTryingForMs: maxWaitMs,
			keepTryingField: MAX_WAIT_FIELD,
			cancelOnStop,
		},
		wait: { mode: 'live', maxWaitMs, startedAt: performance.now(), cancelOnStop, cancelOnTimeout },
		save: { outputMode, binaryField: requiredText(options.binaryPropertyName ?? 'data', 'Put Output File In Field'), filter: { nodeIds: [], types: [], names: [] } },
	};
}
