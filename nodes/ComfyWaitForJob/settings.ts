import { clock } from '../../client';
import { maxWaitMinutes, readJobId } from '../shared/descriptions/jobFields';
import { type FreeMemoryOptions, readFreeMemory } from '../shared/jobs/freeMemory';
import { readRunFailedJobsAgain, type RunFailedJobsAgain } from '../shared/jobs/submit/runAgain';
import { type MaxWaitOptions, readAfterMaxWait, type WaitSettings } from '../shared/jobs/wait';
import { enteredNumber, type ReadParameter } from '../shared/parameters';

export interface WaitNodeSettings extends WaitSettings {
	/** The entered job. */
	jobId: string;
	runFailedJobsAgain: RunFailedJobsAgain;
	/** For a job that runs again. */
	sendPartnerKey: boolean;
}

interface WaitNodeOptions extends FreeMemoryOptions, MaxWaitOptions {
	cancelOnStop?: boolean;
	runFailedJobsAgain?: unknown;
	sendPartnerKey?: boolean;
}

export function settings(read: ReadParameter): WaitNodeSettings {
	const options = read<WaitNodeOptions>('options', {});
	const { cancelOnStop = true, sendPartnerKey = false } = options;
	return {
		jobId: readJobId(read),
		mode: read<WaitSettings['mode']>('howToWait'),
		maxWaitMs: enteredNumber(read<unknown>('maxWaitMinutes'), maxWaitMinutes.displayName, 0) * 60_000,
		startedAt: clock.now(),
		cancelOnStop,
		...readAfterMaxWait(options),
		freeMemory: readFreeMemory(options),
		runFailedJobsAgain: readRunFailedJobsAgain(options),
		sendPartnerKey,
	};
}
