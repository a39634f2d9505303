import { clock } from '../../client';
import { defaultMaxWaitMinutes, maxWaitMinutes } from '../shared/descriptions/jobFields';
import { readInputRows } from '../shared/inputs/rows';
import type { DownloadSettings } from '../shared/jobs/download/settings';
import { type FileSettings, readFileRows } from '../shared/inputFiles/rows';
import { type FreeMemoryOptions, readFreeMemory } from '../shared/jobs/freeMemory';
import { readRunFailedJobsAgain } from '../shared/jobs/submit/runAgain';
import type { SeedSettings } from '../shared/jobs/submit/seeds';
import { readWhenLost, type SubmissionOptions, type SubmitSettings } from '../shared/jobs/submit/settings';
import { type MaxWaitOptions, readAfterMaxWait, type WaitSettings } from '../shared/jobs/wait';
import { locatorValue, enteredNumber, enteredText, type ReadParameter } from '../shared/parameters';
import { readWorkflowSource } from '../shared/workflows/source';
import type { OutputSettings } from './outputs';

/** What each of the composed operations needs; none knows the job's id before it is submitted. */
export interface RunSettings {
	submit: SubmitSettings;
	files: FileSettings;
	seeds: SeedSettings;
	outputs: OutputSettings;
	wait: WaitSettings;
	save: Pick<DownloadSettings, 'outputMode' | 'binaryField'>;
}

interface RunOptions extends SubmissionOptions, FreeMemoryOptions, MaxWaitOptions {
	allOutputs?: boolean;
	binaryPropertyName?: string;
	firstSeed?: unknown;
	includePreviews?: boolean;
	maxWaitMinutes?: unknown;
	outputMode?: DownloadSettings['outputMode'];
	outputs?: { values?: Array<{ node?: unknown }> };
	seeds?: SeedSettings['mode'];
}

const MAX_WAIT_FIELD = maxWaitMinutes.displayName;

/** A row in which nothing was chosen yet is none. */
const chosenOutputs = ({ outputs }: RunOptions): string[] =>
	(outputs?.values ?? []).map(({ node }) => String(locatorValue(node) ?? '').trim()).filter((name) => name !== '');

export function settings(read: ReadParameter, isTool: boolean): RunSettings {
	const options = read<RunOptions>('options', {});
	const { cancelOnStop = true, outputMode = 'itemPerOutput' } = options;
	const maxWaitMs = enteredNumber(options.maxWaitMinutes ?? defaultMaxWaitMinutes(isTool), MAX_WAIT_FIELD, 0) * 60_000;
	return {
		submit: {
			source: readWorkflowSource(read),
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
			runFailedJobsAgain: readRunFailedJobsAgain(options),
			placement: { isAwaited: true, whenLost: readWhenLost(options) },
		},
		files: readFileRows(read),
		seeds: { mode: options.seeds ?? 'asIs', first: options.firstSeed },
		outputs: {
			chosen: chosenOutputs(options),
			ignoresAppChoice: options.allOutputs ?? false,
			includesPreviews: options.includePreviews ?? false,
		},
		wait: {
			mode: 'live',
			maxWaitMs,
			startedAt: clock.now(),
			cancelOnStop,
			...readAfterMaxWait(options),
			freeMemory: readFreeMemory(options),
		},
		save: {
			outputMode,
			binaryField: enteredText(options.binaryPropertyName ?? 'data', 'Put Output File In Field'),
		},
	};
}
