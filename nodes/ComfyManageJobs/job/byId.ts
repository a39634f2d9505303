import type { INodeProperties } from 'n8n-workflow';

import { cancelAndConfirm, isTerminal, type Job } from '../../../client';
import { showForResource } from '../../shared/descriptions/common';
import { jobIdFields, readJobId } from '../../shared/descriptions/jobFields';
import { toJobForModel, toListedJobForModel } from '../../shared/jobs/jobForModel';
import { toJobItem, toJobItemWithOrigin } from '../../shared/jobs/jobItems';
import { addHint } from '../../shared/hints';
import { messages } from '../../shared/messages/catalogue';
import type { Words } from '../../shared/messages/words';
import { reportNotDelivered } from '../../shared/jobs/notDelivered';
import type { OfferedOperation } from '../../shared/descriptions/operations';
import type { ReadParameter } from '../../shared/parameters';

/** The operations *Get* and *Cancel*, which have the same fields. */

interface JobIdSettings {
	jobId: string;
}

const description: INodeProperties[] = jobIdFields({ displayOptions: showForResource('job', 'get', 'cancel') });

const settings = (read: ReadParameter): JobIdSettings => ({ jobId: readJobId(read) });

/** Returns the job in any state. A failed job is a successful result of this operation. */
export const getJob: OfferedOperation<JobIdSettings> = {
	menu: {
		name: 'Get',
		action: 'Get job',
		description: 'Get the current status of a job and its outputs',
	},
	toolText:
		'Gets the current status of a ComfyUI job without waiting. Enter the job_id exactly as another tool returned it. Returns JSON: status, and the outputs with name, type and size. Text outputs include their text. If the status is queued or running, the job is not finished: call this tool again later. It creates no new job and costs nothing.',
	description,
	settings,
	async execute(item, { jobId }) {
		const { connection, signal, isTool, progress } = item;
		progress.setJobId(jobId);
		const job = await connection.jobs.get(jobId, { signal });
		progress.confirmJob(job.job_id);
		const delivery = { job, outputs: job.outputs };
		if (isTool) return { json: await toJobForModel(item, delivery) };
		return { json: { ...toJobItemWithOrigin(job), ...(await reportNotDelivered(item, delivery)) } };
	},
};

function notConfirmedHint({ job_id: id, interface: name, status }: Job): Words {
	if (isTerminal(status)) return messages.JOB_FINISHED_BEFORE_CANCEL(id, status);
	return name === 'v1' ? messages.JOB_NOT_CANCELED_BY_V1(id, status) : messages.JOB_NOT_CANCELED_YET(id, status);
}

/** Reads the job after the request to cancel it, because the answer to that request does not prove that the job stopped. */
export const cancelJob: OfferedOperation<JobIdSettings> = {
	menu: {
		name: 'Cancel',
		action: 'Cancel job',
		description: 'Stop a job and confirm that it stopped',
	},
	toolText:
		'Stops one ComfyUI job. Enter the job_id exactly as another tool returned it. Returns JSON: the status, and cancel_confirmed, which is true if the job stopped. Unfinished results are lost. Use this tool only if the user requests it.',
	description,
	settings,
	async execute({ execution, connection, signal, isTool, progress }, { jobId }) {
		progress.setJobId(jobId);
		const { job, confirmed } = await cancelAndConfirm(connection.jobs, jobId, { signal });
		progress.confirmJob(job.job_id);
		if (!confirmed) addHint(execution, notConfirmedHint(job));
		return { json: { ...(isTool ? toListedJobForModel(job) : toJobItem(job)), cancel_confirmed: confirmed } };
	},
};
