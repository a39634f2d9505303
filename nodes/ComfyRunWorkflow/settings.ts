import { clock } from '../../client';
import { type FileSettings, readFileRows } from '../shared/inputFiles/rows';
import { imageOptions, type ImageSettings } from '../shared/jobs/download/options';
import { freeMemoryOptions } from '../shared/jobs/freeMemoryOptions';
import { readSubmitSettings, type SubmitSettings } from '../shared/jobs/submit/settings';
import type { WaitSettings } from '../shared/jobs/wait';
import { waitEndOptions, maxWait } from '../shared/jobs/waitOptions';
import { readOptions, type SettingsOf } from '../shared/options';
import type { ReadParameter } from '../shared/parameters';
import { cancelOnStop, outputOptions, saveOptions, seedOptions } from './options';

/** What each of the composed operations needs. */
export interface RunSettings {
	submit: SubmitSettings;
	files: FileSettings;
	seeds: SettingsOf<typeof seedOptions>;
	outputs: SettingsOf<typeof outputOptions>;
	wait: WaitSettings;
	save: SettingsOf<typeof saveOptions>;
	image: ImageSettings;
}

export function settings(read: ReadParameter, isTool: boolean): RunSettings {
	const { maxWaitMs, cancelsOnStop } = readOptions({ maxWaitMs: maxWait, cancelsOnStop: cancelOnStop }, read, isTool);
	return {
		submit: {
			...readSubmitSettings(read),
			inputFiles: [],
			keepTryingForMs: maxWaitMs,
			keepTryingField: maxWait.label,
			cancelOnStop: cancelsOnStop,
			isAwaited: true,
		},
		files: readFileRows(read),
		seeds: readOptions(seedOptions, read),
		outputs: readOptions(outputOptions, read),
		wait: {
			mode: 'live',
			maxWaitMs,
			startedAt: clock.now(),
			cancelOnStop: cancelsOnStop,
			...readOptions(waitEndOptions, read),
			freeMemory: readOptions(freeMemoryOptions, read),
		},
		save: readOptions(saveOptions, read),
		image: readOptions(imageOptions, read),
	};
}
