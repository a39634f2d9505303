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
import type { Operation } from '../../shared/operation';
import type { ReadParameter } from '../../shared/parameters';

/** The operations *Get* and *Cancel*, which have the same fields. */

interface JobIdSettings {
	jobId: string;
}

export const description: INodeProperties[] = jobIdFields({ displayOptions: showForResource('job', 'get', 'cancel') });

const settings = (read: ReadParameter): JobIdSettings => ({ jobId: readJobId(read) });

/** Returns the job in any state. A failed job is a successful result of this operation. */
export const getJob: Operation<JobIdSettings> = {
	settings,
	async execute(context) {
		const { connection, settings, signal, isTool, progress } = context;
		progress.setJobId(settings.jobId);
		const job = await connection.jobs.get(settings.jobId, { signal });
		progress.confirmJob(job.job_id);
		const delivery = { job, outputs: job.outputs };
		if (isTool) return { json: await toJobForModel(context, delivery) };
		return { json: { ...toJobItemWithOrigin(job), ...(await reportNotDelivered(context, delivery)) } };
	},
};

function notConfirmedHint({ job_id: id, interface: name, status }: Job): Words {
	if (isTerminal(status)) return messages.JOB_FINISHED_BEFORE_CANCEL(id, status);
	return name === 'v1' ? messages.JOB_NOT_CANCELED_BY_V1(id, status) : messages.JOB_NOT_CANCELED_YET(id, status);
}

/** Reads the job after the request to cancel it, because the answer to that request does not prove that the job stopped. */
export const cancelJob: Operation<JobIdSettings> = {
	settings,
	async execute({ execution, connection, settings: { jobId }, signal, isTool, progress }) {
		progress.setJobId(jobId);
		const { job, confirmed } = await cancelAndConfirm(connection.jobs, jobId, { signal });
		progress.confirmJob(job.job_id);
		if (!confirmed) addHint(execution, notConfirmedHint(job));
		return { json: { ...(isTool ? toListedJobForModel(job) : toJobItem(job)), cancel_confirmed: confirmed } };
	},
};
