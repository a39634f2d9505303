import { ItemFault } from '../itemFault';

/** Faults for items whose job did not finish within *Max Wait*. */

export const STILL_RUNNING = 'still_running';

/** @param cancelFailure why the job could not be canceled, if *Cancel Job After Max Wait* is on. */
export const stillRunning = (jobId: string, cancelFailure?: string): ItemFault =>
	new ItemFault(
		`Job ${jobId} did not finish within Max Wait, and Still Running is not connected`,
		`${cancelFailure === undefined ? '' : `The job could not be canceled: ${cancelFailure}. `}The job continues. Connect Still Running to a Comfy Wait For Job node, or raise Max Wait (Minutes). A retry of this execution waits for the same job again, and nothing is run twice.`,
		{ code: STILL_RUNNING },
	);

export const stoppedAfterMaxWait = (jobId: string): ItemFault =>
	new ItemFault(
		`Job ${jobId} did not finish within Max Wait, and the node stopped it`,
		'Raise Max Wait (Minutes), or turn off Cancel Job After Max Wait. A retry of this execution reads the same job. To submit a new job, start a new execution.',
	);
