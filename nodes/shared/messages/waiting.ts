import { ItemFault } from '../itemFault';

/** Faults for items whose job did not finish within *Max Wait*. */

export const STILL_RUNNING = 'still_running';

/** Why the end of a wait did not go as planned. */
export interface WaitFailures {
	/** Why the job could not be canceled, if *Cancel Job After Max Wait* is on. */
	cancel?: string;
	/** Why the latest read of the job failed. */
	read?: string;
}

/** Returns one sentence for each failure. */
const describeFailures = ({ cancel, read }: WaitFailures): string =>
	(cancel === undefined ? '' : `The job could not be canceled: ${cancel}. `) +
	(read === undefined ? '' : `Its latest status could not be read: ${read}. `);

export const stillRunning = (jobId: string, failures: WaitFailures): ItemFault =>
	new ItemFault(
		`Job ${jobId} did not finish within Max Wait, and Still Running is not connected`,
		`${describeFailures(failures)}The job continues. Connect Still Running to a Comfy Wait For Job node, or raise Max Wait (Minutes). A retry of this execution waits for the same job again, and nothing is run twice.`,
		{ code: STILL_RUNNING },
	);

/** The job leaves through *Still Running*, or goes to the model of an agent. */
export const failuresAfterMaxWait = (jobId: string, failures: WaitFailures): string =>
	`Job ${jobId} may still run after Max Wait. ${describeFailures(failures)}`.trim();

export const stoppedAfterMaxWait = (jobId: string): ItemFault =>
	new ItemFault(
		`Job ${jobId} did not finish within Max Wait, and the node stopped it`,
		'Raise Max Wait (Minutes), or turn off Cancel Job After Max Wait. A retry of this execution reads the same job. To submit a new job, start a new execution.',
	);

/** The service had the workflow when the job failed, and has lost it since. */
export const workflowIsLost = (jobId: string): ItemFault =>
	new ItemFault(
		`Job ${jobId} cannot run again, because the service no longer returns its workflow`,
		'Start a new execution. Comfy Run Workflow can run such a job again, because it does not need the workflow from the service.',
	);
