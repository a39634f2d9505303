/**
 * One item of Comfy Run Workflow, from its workflow to its output items. `execute` is the pipeline; each step is one function,
 * and most of them are the operations of the nodes that submit, wait and download.
 */
import type { IDataObject } from 'n8n-workflow';

import { findInput, type GraphInput, isTerminal, type Job, listenAhead, outcomeOf, parseInputValues, type SeedHints } from '../../client';
import { findAppOutputs } from '../shared/app/itemValues';
import { definitionReader } from '../shared/inputs/definitions';
import { isLost, saveOutputs, toNumberedOutputs, toOutputRecord } from '../shared/jobs/download/download';
import { freeAtRunEnd } from '../shared/jobs/freeMemory';
import { toJobItem } from '../shared/jobs/jobItems';
import { reportNotDelivered } from '../shared/jobs/notDelivered';
import { addFilePlacement, type PreparedGraph } from '../shared/jobs/submit/placement';
import { findRetryEffect } from '../shared/jobs/submit/runAgain';
import { type PreparedInputs, prepareInputs } from '../shared/jobs/submit/prepareInputs';
import { applySeeds, describeSeeds, findSeedHints, readSeedsOfJob } from '../shared/jobs/submit/seeds';
import type { SubmitContext, SubmitSettings } from '../shared/jobs/submit/settings';
import { onStop as cancelSubmitted } from '../shared/jobs/submit/submit';
import type { SubmittedItem } from '../shared/jobs/submit/sendItem';
import { submitOnce } from '../shared/jobs/submit/submitOnce';
import { toJobForModel } from '../shared/jobs/jobForModel';
import { toWaitedJobForModel, remainingWaitMs, type WaitResult, STILL_RUNNING_OUTPUT, waitForEnd } from '../shared/jobs/wait';
import { isShuttingDown, type ItemContext, type ItemResult } from '../shared/operation';
import { hashOf } from '../shared/submission/keys';
import { openLedger, type SubmissionLedger } from '../shared/submission/ledger';
import { loadWorkflow } from '../shared/workflows/load';
import { resolveWildcards } from '../shared/workflows/prompts';
import { toDoneItems } from './items';
import { findChosenNodes, selectOutputs } from './outputs';
import type { RunSettings } from './settings';

type RunContext = ItemContext<RunSettings>;

export const existingJobsAdvice = 'To get their files retry this execution, in the list of executions: no job with a result is run twice.';

export async function execute(context: RunContext): Promise<ItemResult | ItemResult[]> {
	const { settings, isTool, progress } = context;
	const ledger = await openLedger(context, settings.seeds.mode === 'increase');
	const run = await prepareRun(context, ledger);
	if (!isShuttingDown(context)) await listenAhead(context.connection, context);
	const submitted = await submitRun(context, ledger, run);
	const { job, times } = await waitForJob(context, submitted, run);
	const facts = { ...submitted.reported, ...times };
	if (!isTerminal(job.status)) {
		const json = isTool ? await toWaitedJobForModel(context, job) : toJobItem(job);
		return { json: { ...json, ...facts }, output: STILL_RUNNING_OUTPUT };
	}
	progress.endJob({ status: job.status });
	const { graph } = run.inputs;
	const outputs = selectOutputs(job, graph, run.outputNodeIds, settings.outputs);
	const leavesOutPreviews = run.outputNodeIds.length === 0 && !settings.outputs.includesPreviews;
	const delivery = { job, outputs, graph, chosen: run.outputNodeIds, leavesOutPreviews };
	if (isTool) return { json: { ...(await toJobForModel(context, delivery)), ...facts } };
	const saving = { ...settings.save, jobId: job.job_id };
	const results = await saveOutputs({ ...context, settings: saving }, outputs);
	const missing = await reportNotDelivered(context, { ...delivery, lost: results.filter(isLost), hasFiles: true });
	return toDoneItems({ job, graph, facts: { ...facts, ...missing }, results }, saving);
}

/** What an item runs. */
interface PreparedRun {
	inputs: PreparedInputs;
	/** The nodes whose outputs are wanted; empty for all. */
	outputNodeIds: string[];
	/** What shows which numbers of the workflow are seeds. */
	seedHints: SeedHints;
}

const toSubmitContext = (context: RunContext, overrides: Partial<SubmitSettings> = {}): SubmitContext => ({
	...context,
	settings: { ...context.settings.submit, ...overrides },
});

/** Loads the workflow and puts the item's inputs into it. Nothing is sent yet, so each fault shows before anything costs money. */
async function prepareRun(context: RunContext, ledger: SubmissionLedger): Promise<PreparedRun> {
	const { execution, settings } = context;
	const inputs = await prepareInputs(toSubmitContext(context), ledger, settings.files.rows);
	const outputNodeIds = await selectOutputNodes(context, inputs);
	const seedHints = await findSeedHints(execution, definitionReader(context), settings.seeds, inputs);
	return { inputs, outputNodeIds, seedHints };
}

/** The chosen nodes, or those that the author of an app chose; none means all. */
async function selectOutputNodes(context: RunContext, { workflow, graph }: PreparedInputs): Promise<string[]> {
	const { outputs, submit } = context.settings;
	const chosen = findChosenNodes(graph, outputs);
	if (chosen.length > 0 || outputs.ignoresAppChoice) return chosen;
	return await findAppOutputs(graph, workflow, async () => await loadWorkflow(context, submit.source));
}

interface SubmittedRun extends SubmittedItem {
	/** What output items report about the submission. */
	reported: IDataObject;
}

/** Submits the item's workflow with its seeds and files in place, unless an earlier try has done so. */
async function submitRun(context: RunContext, ledger: SubmissionLedger, run: PreparedRun): Promise<SubmittedRun> {
	const { settings, connection, signal, progress } = context;
	const { seedHints } = run;
	const { appFiles, hash } = run.inputs;
	const files = [...appFiles, ...settings.files.rows];
	const submitted = await submitOnce(toSubmitContext(context, { keepTryingForMs: remainingWaitMs(settings.wait) }), ledger, {
		hash: files.length === 0 ? hash : hashOf({ hash, files }),
		prepare: (seedKey) => addFilePlacement(context, prepareGraph(context, run, seedKey), { ...settings.files, rows: files }),
	});
	const { job, key, isRecovered } = submitted;
	const facts = { ...submitted.facts, ...(isRecovered && (await readSeedsOfJob(connection, job.job_id, seedHints, signal))) };
	progress.add(facts);
	return { ...submitted, reported: { ...facts, ...(key !== null && { idempotency_key: key }) } };
}

/** Returns the graph to send, with the choices of its dynamic prompts and its seeds. @param seedKey as for `SubmissionRequest`. */
function prepareGraph({ settings, itemIndex }: RunContext, { inputs, seedHints }: PreparedRun, seedKey: string): PreparedGraph {
	const isSetByItem = createSetByItemTest(settings.submit, inputs);
	const resolved = resolveWildcards(inputs.graph, inputs.workflow, seedKey);
	const graph = applySeeds(resolved.graph, { ...settings.seeds, seedKey, itemIndex, isSetByItem }, seedHints);
	return { graph, facts: { ...resolved.facts, ...describeSeeds(graph, seedHints, settings.seeds.mode) } };
}

/** Returns whether the item sets an input: such a seed is not chosen at random. */
function createSetByItemTest(settings: SubmitSettings, { graph, setByApp }: PreparedInputs): (input: GraphInput) => boolean {
	const values = parseInputValues(settings.inputValues);
	const setByRows = new Set(settings.inputRows.map((row) => findInput(graph, row.name).name));
	const isInValues = ({ nodeId, input }: GraphInput): boolean =>
		[nodeId, graph[nodeId]?._meta?.title].some(
			(name) => name !== undefined && Object.hasOwn(values, name) && Object.hasOwn(values[name] ?? {}, input),
		);
	return (input) => setByRows.has(input.name) || setByApp.has(input.name) || isInValues(input);
}

/** If the execution is stopped during the wait, the wait itself cancels the job. */
async function waitForJob(context: RunContext, { job, record }: SubmittedRun, run: PreparedRun): Promise<WaitResult> {
	const { settings, progress, signal } = context;
	if (!signal.aborted) progress.startWaiting();
	const ended = await outcomeOf(
		waitForEnd(
			{ ...context, settings: { ...settings.wait, jobId: job.job_id } },
			{
				submitted: job,
				onFailed: async (failed) => await keepFinished(context, run, failed),
				findRetryEffect: async () => await findRetryEffect(toSubmitContext(context), () => run.inputs.graph),
			},
		),
	);
	if (!signal.aborted) progress.stopWaiting();
	record.apply({ type: ended.ok || progress.hasJobEnded ? 'reported' : 'unreported' });
	if (!ended.ok) throw ended.error;
	return ended.value;
}

/** Keeps the files that a job finished before it failed, if the failure becomes an item. The failure of the job is reported in any case. */
async function keepFinished(context: RunContext, { inputs, outputNodeIds }: PreparedRun, job: Job): Promise<void> {
	const { execution, settings, progress } = context;
	const outputs = selectOutputs(job, inputs.graph, outputNodeIds, settings.outputs);
	if (outputs.length === 0 || !execution.continueOnFail()) return;
	const saved = await outcomeOf(saveOutputs({ ...context, settings: { ...settings.save, jobId: job.job_id } }, outputs));
	if (!saved.ok) return;
	const { outputs: records, binary } = toNumberedOutputs(saved.value, settings.save.binaryField, toOutputRecord);
	progress.add({ outputs: records });
	progress.files = binary;
}

export const onRunEnd = async (contexts: RunContext[]): Promise<void> =>
	await freeAtRunEnd(contexts.map((context) => ({ ...context, settings: context.settings.wait })));

/** A job that has ended is kept. */
export async function onStop(context: RunContext): Promise<void> {
	if (context.progress.needsCancel) await cancelSubmitted(toSubmitContext(context));
}
