import { clock } from '../../client';
import { readJobId } from '../shared/descriptions/jobFields';
import { freeMemoryOptions } from '../shared/jobs/freeMemoryOptions';
import type { WaitSettings } from '../shared/jobs/wait';
import { waitEndOptions, maxWait } from '../shared/jobs/waitOptions';
import { readOptions, type SettingsOf } from '../shared/options';
import type { ReadParameter } from '../shared/parameters';
import { waitOptions } from './description';

export interface WaitNodeSettings extends WaitSettings, SettingsOf<typeof waitOptions> {
	/** The entered job. */
	jobId: string;
	cancelOnStop: boolean;
}

export const settings = (read: ReadParameter, isTool: boolean): WaitNodeSettings => ({
	jobId: readJobId(read),
	mode: read<WaitSettings['mode']>('howToWait'),
	maxWaitMs: maxWait.read(read<unknown>('maxWaitMinutes'), isTool),
	startedAt: clock.now(),
	...readOptions(waitEndOptions, read),
	freeMemory: readOptions(freeMemoryOptions, read),
	...readOptions(waitOptions, read),
});
