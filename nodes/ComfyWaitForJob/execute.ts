import { type ApiGraph, isNotFound, isTerminal, outcomeOf } from '../../client';
import { freeAtRunEnd } from '../shared/jobs/freeMemory';
import { findSeedsOfJob, toJobItem } from '../shared/jobs/jobItems';
import { reportNotDelivered } from '../shared/jobs/notDelivered';
import { findRetryEffect } from '../shared/jobs/submit/runAgain';
import type { SubmittedItem } from '../shared/jobs/submit/sendItem';
import { submitOptions } from '../shared/jobs/submit/options';
import type { SendSettings } from '../shared/jobs/submit/settings';
import { cancelStopped } from '../shared/jobs/submit/submit';
import { submitOnce } from '../shared/jobs/submit/submitOnce';
import { maxWait } from '../shared/jobs/waitOptions';
import { remainingWaitMs, STILL_RUNNING_OUTPUT, toWaitedJobForModel, waitForEnd } from '../shared/jobs/wait';
import { messages } from '../shared/messages/catalogue';
import type { ItemRun, ItemResult } from '../shared/operation';
import { defaultsOf } from '../shared/options';
import { hashOf } from '../shared/submission/keys';
import { openLedger } from '../shared/submission/ledger';
import type { WaitNodeSettings } from './settings';
import { ItemFault } from '../shared/itemFault';

export async function execute(item: ItemRun, settings: WaitNodeSettings): Promise<ItemResult> {
	const { isTool } = item;
	const submitted = await findOrRunAgain(item, settings);
	const { job, times } = await waitForEnd(item, submitted?.job.job_id ?? settings.jobId, settings, {
		submitted: submitted?.job,
		async findRetryEffect() {
			// The user may turn on the option before the retry.
			if (!isTool) (await openLedger(item)).adopt(hashOfJob(settings), settings.jobId);
			return await findRetryEffect(item, toSendSettings(settings), async () => {
				const graph = await outcomeOf(readGraph(item, settings.jobId));
				return graph.ok ? graph.value : undefined;
			});
		},
	});
	if (isTool) return { json: await toWaitedJobForModel(item, job) };
	const json = { ...toJobItem(job), ...times, ...findSeedsOfJob(item, settings.jobId) };
	if (!isTerminal(job.status)) return { json, output: STILL_RUNNING_OUTPUT };
	return { json: { ...json, ...(await reportNotDelivered(item, { job, outputs: job.outputs })) } };
}

/**
 * A later try waits for the job that the item has now. If that job has failed or was lost, its workflow runs again.
 * @returns undefined if this is the first try of the item, or if no job may run again. The entered job counts then.
 */
async function findOrRunAgain(item: ItemRun, settings: WaitNodeSettings): Promise<SubmittedItem | undefined> {
	const { signal, isTool } = item;
	const { jobId, runFailedJobsAgain, cancelOnStop } = settings;
	// A model waits for the same job several times, and no call of it is a retry.
	if (runFailedJobsAgain === 'no' || isTool) return undefined;
	const ledger = await openLedger(item);
	const hash = hashOfJob(settings);
	if (ledger.adopt(hash, jobId)) return undefined;
	const submitted = await submitOnce(item, toSendSettings(settings), ledger, {
		hash,
		async prepare() {
			const graph = await readGraph(item, jobId);
			if (graph === undefined) throw new ItemFault(messages.JOB_WORKFLOW_LOST(jobId));
			return { graph };
		},
	});
	if (signal.aborted && cancelOnStop) await cancelStopped(item, submitted.job.job_id);
	return submitted;
}

const hashOfJob = ({ jobId }: WaitNodeSettings): string => hashOf({ jobId });

/** Returns the graph of the entered job, as the service stores it; undefined if the service has lost it. */
async function readGraph({ connection, signal }: ItemRun, jobId: string): Promise<ApiGraph | undefined> {
	const read = await outcomeOf(connection.jobs.workflow(jobId, { signal }));
	if (!read.ok && !isNotFound(read.error)) throw read.error;
	return read.ok && read.value.format === 'api' ? (read.value.workflow as ApiGraph) : undefined;
}

const toSendSettings = (settings: WaitNodeSettings): SendSettings => ({
	...defaultsOf(submitOptions),
	sendPartnerKey: settings.sendPartnerKey,
	runFailedJobsAgain: settings.runFailedJobsAgain,
	keepTryingForMs: remainingWaitMs(settings),
	keepTryingField: maxWait.label,
	// A job that a stop has canceled stays canceled.
	cancelOnStop: false,
	isAwaited: true,
});

export const onRunEnd = freeAtRunEnd;

/** Cancels the job of an item that was not started. A wait that was started has canceled its job itself. */
export async function onStop(item: ItemRun, settings: WaitNodeSettings, wasStarted: boolean): Promise<void> {
	const { jobId, cancelOnStop } = settings;
	if (!wasStarted && cancelOnStop) await cancelStopped(item, jobId);
}
