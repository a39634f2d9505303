import { type ApiGraph, clock, isNotFound, isTerminal, outcomeOf, STOP_LIMIT_MS } from '../../client';
import { logDecision } from '../shared/debugLog';
import { maxWaitMinutes } from '../shared/descriptions/jobFields';
import { freeAtRunEnd } from '../shared/jobs/freeMemory';
import { findSeedsOfJob, toJobItem } from '../shared/jobs/jobItems';
import { reportNotDelivered } from '../shared/jobs/notDelivered';
import { findRetryEffect } from '../shared/jobs/submit/runAgain';
import type { SubmittedItem } from '../shared/jobs/submit/sendItem';
import type { SendContext } from '../shared/jobs/submit/settings';
import { submitOnce } from '../shared/jobs/submit/submitOnce';
import { remainingWaitMs, STILL_RUNNING_OUTPUT, toWaitedJobForModel, waitForEnd } from '../shared/jobs/wait';
import { cancelsStoppedLine } from '../shared/messages/logLines';
import { messages } from '../shared/messages/catalogue';
import type { ItemContext, ItemResult } from '../shared/operation';
import { hashOf } from '../shared/submission/keys';
import { openLedger } from '../shared/submission/ledger';
import type { WaitNodeSettings } from './settings';
import { ItemFault } from '../shared/itemFault';

type WaitNodeContext = ItemContext<WaitNodeSettings>;

export async function execute(context: WaitNodeContext): Promise<ItemResult> {
	const { settings, isTool } = context;
	const submitted = await findOrRunAgain(context);
	const waited = submitted === undefined ? settings : { ...settings, jobId: submitted.job.job_id };
	const { job, times } = await waitForEnd(
		{ ...context, settings: waited },
		{
			submitted: submitted?.job,
			async findRetryEffect() {
				// The user may turn on the option before the retry.
				if (!isTool) (await openLedger(context)).adopt(hashOfJob(settings), settings.jobId);
				return await findRetryEffect(toSendContext(context), async () => {
					const graph = await outcomeOf(readGraph(context));
					return graph.ok ? graph.value : undefined;
				});
			},
		},
	);
	if (isTool) return { json: await toWaitedJobForModel(context, job) };
	const json = { ...toJobItem(job), ...times, ...findSeedsOfJob(context, settings.jobId) };
	if (!isTerminal(job.status)) return { json, output: STILL_RUNNING_OUTPUT };
	return { json: { ...json, ...(await reportNotDelivered(context, { job, outputs: job.outputs })) } };
}

/**
 * A later try waits for the job that the item has now. If that job has failed or was lost, its workflow runs again.
 * @returns undefined if this is the first try of the item, or if no job may run again. The entered job counts then.
 */
async function findOrRunAgain(context: WaitNodeContext): Promise<SubmittedItem | undefined> {
	const { settings, signal, isTool } = context;
	const { jobId, runFailedJobsAgain, cancelOnStop } = settings;
	// A model waits for the same job several times, and no call of it is a retry.
	if (runFailedJobsAgain === 'no' || isTool) return undefined;
	const ledger = await openLedger(context);
	const hash = hashOfJob(settings);
	if (ledger.adopt(hash, jobId)) return undefined;
	const submitted = await submitOnce(toSendContext(context), ledger, {
		hash,
		async prepare() {
			const graph = await readGraph(context);
			if (graph === undefined) throw new ItemFault(messages.JOB_WORKFLOW_LOST(jobId));
			return { graph };
		},
	});
	if (signal.aborted && cancelOnStop) await cancelStopped(context, submitted.job.job_id);
	return submitted;
}

const hashOfJob = ({ jobId }: WaitNodeSettings): string => hashOf({ jobId });

/** Returns the graph of the entered job, as the service stores it; undefined if the service has lost it. */
async function readGraph({ connection, settings: { jobId }, signal }: WaitNodeContext): Promise<ApiGraph | undefined> {
	const read = await outcomeOf(connection.jobs.workflow(jobId, { signal }));
	if (!read.ok && !isNotFound(read.error)) throw read.error;
	return read.ok && read.value.format === 'api' ? (read.value.workflow as ApiGraph) : undefined;
}

const toSendContext = (context: WaitNodeContext): SendContext => ({
	...context,
	settings: {
		extraData: undefined,
		sendPartnerKey: context.settings.sendPartnerKey,
		keyMode: 'automatic',
		customKey: undefined,
		keepTryingForMs: remainingWaitMs(context.settings),
		keepTryingField: maxWaitMinutes.displayName,
		// A job that a stop has canceled stays canceled.
		cancelOnStop: false,
		runFailedJobsAgain: context.settings.runFailedJobsAgain,
		placement: { isAwaited: true, whenLost: 'report' },
	},
});

async function cancelStopped({ connection }: WaitNodeContext, jobId: string): Promise<void> {
	logDecision(() => cancelsStoppedLine(jobId));
	await connection.jobs.cancel(jobId, { signal: clock.signalAfter(STOP_LIMIT_MS) });
}

export const onRunEnd = freeAtRunEnd;

/** Cancels the job of an item that was not started. A wait that was started has canceled its job itself. */
export async function onStop(context: WaitNodeContext, wasStarted: boolean): Promise<void> {
	const { jobId, cancelOnStop } = context.settings;
	if (!wasStarted && cancelOnStop) await cancelStopped(context, jobId);
}
