import type { INodeProperties } from 'n8n-workflow';

import { concurrency, interfaceOption, options, showForResource } from '../../shared/descriptions/common';
import { jobIdFields, readJobId } from '../../shared/descriptions/jobFields';
import { toJobFields } from '../../shared/jobs/jobItems';
import { readLogEnd } from '../../shared/jobs/jobLog';
import { addHint } from '../../shared/hints';
import { messages } from '../../shared/messages/catalogue';
import type { ItemResult, ItemRun } from '../../shared/operation';
import { enteredNumber, type ReadParameter } from '../../shared/parameters';

interface LogSettings {
	jobId: string;
	lines: number;
}

const DEFAULT_LINES = 100;
const MOST_LINES = 1_000;

const show = showForResource('job', 'getLog');

export const menu = {
	name: 'Get Log',
	action: 'Get log of job',
	description: 'Get the last lines that a job printed, or that its ComfyUI printed',
};

export const toolText =
	'Gets the last lines of the log of a ComfyUI job, for example to find out why it failed. Enter the job_id exactly as another tool returned it. Returns JSON: log, and log_of. If log_of is server, the log also contains lines of other jobs. It creates no new job and costs nothing.';

export const description: INodeProperties[] = [
	...jobIdFields({ displayOptions: show }),
	{
		displayName: 'Lines',
		name: 'lines',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MOST_LINES },
		default: DEFAULT_LINES,
		description: 'How many of the last lines to return, at most 1,000. Longer logs than 64 KiB are shortened.',
		displayOptions: show,
	},
	options(show, [concurrency, interfaceOption]),
];

export const settings = (read: ReadParameter): LogSettings => ({
	jobId: readJobId(read),
	lines: Math.min(MOST_LINES, Math.floor(enteredNumber(read<unknown>('lines', DEFAULT_LINES), 'Lines', 1))),
});

/** Returns the end of the log. A ComfyUI has one log for all jobs; a deployment has one for each job. */
export async function execute(item: ItemRun, { jobId, lines }: LogSettings): Promise<ItemResult> {
	const { execution, connection, signal, progress } = item;
	progress.setJobId(jobId);
	const job = await connection.jobs.get(jobId, { signal });
	progress.confirmJob(job.job_id);
	const end = await readLogEnd(item, job, lines);
	if (end.lines === 0) addHint(execution, messages.JOB_LOG_EMPTY(job.job_id));
	return { json: { ...toJobFields(job), ...end } };
}
