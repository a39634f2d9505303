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
import type { SubmitSettings } from '../shared/jobs/submit/settings';
import { onStop as cancelSubmitted } from '../shared/jobs/submit/submit';
import type { SubmittedItem } from '../shared/jobs/submit/sendItem';
import { submitOnce } from '../shared/jobs/submit/submitOnce';
import { toJobForModel } from '../shared/jobs/jobForModel';
import { toWaitedJobForModel, remainingWaitMs, type WaitResult, STILL_RUNNING_OUTPUT, waitForEnd } from '../shared/jobs/wait';
import { isShuttingDown, type ItemResult, type ItemRun, type StartedItem } from '../shared/operation';
import { hashOf } from '../shared/submission/keys';
import { openLedger, type SubmissionLedger } from '../shared/submission/ledger';
import { loadWorkflow } from '../shared/workflows/load';
import { resolveWildcards } from '../shared/workflows/prompts';
import { toDoneItems } from './items';
import { findChosenNodes, selectOutputs } from './outputs';
import type { RunSettings } from './settings';

export const existingJobsAdvice = 'To get their files retry this execution, in the list of executions: no job with a result is run twice.';

export async function execute(item: ItemRun, settings: RunSettings): Promise<ItemResult | ItemResult[]> {
	const { isTool, progress } = item;
	const ledger = await openLedger(item, settings.seeds.mode === 'increase');
	const run = await prepareRun(item, settings, ledger);
	if (!isShuttingDown(item)) await listenAhead(item.connection, item);
	const submitted = await submitRun(item, settings, ledger, run);
	const { job, times } = await waitForJob(item, settings, submitted, run);
	const facts = { ...submitted.reported, ...times };
	if (!isTerminal(job.status)) {
		const json = isTool ? await toWaitedJobForModel(item, job) : toJobItem(job);
		return { json: { ...json, ...facts }, output: STILL_RUNNING_OUTPUT };
	}
	progress.endJob({ status: job.status });
	const { graph } = run.inputs;
	const outputs = selectOutputs(job, graph, run.outputNodeIds, settings.outputs);
	const leavesOutPreviews = run.outputNodeIds.length === 0 && !settings.outputs.includesPreviews;
	const delivery = { job, outputs, graph, chosen: run.outputNodeIds, leavesOutPreviews };
	if (isTool) return { json: { ...(await toJobForModel(item, delivery)), ...facts } };
	const results = await saveOutputs(item, job.job_id, outputs, settings.image);
	const missing = await reportNotDelivered(item, { ...delivery, lost: results.filter(isLost), hasFiles: true });
	return toDoneItems({ job, graph, facts: { ...facts, ...missing }, results }, settings.save);
}

/** What an item runs. */
interface PreparedRun {
	inputs: PreparedInputs;
	/** The nodes whose outputs are wanted; empty for all. */
	outputNodeIds: string[];
	/** What shows which numbers of the workflow are seeds. */
	seedHints: SeedHints;
}

/** Loads the workflow and puts the item's inputs into it. Nothing is sent yet, so each fault shows before anything costs money. */
async function prepareRun(item: ItemRun, settings: RunSettings, ledger: SubmissionLedger): Promise<PreparedRun> {
	const inputs = await prepareInputs(item, settings.submit, ledger, settings.files.rows);
	const outputNodeIds = await selectOutputNodes(item, settings, inputs);
	const seedHints = await findSeedHints(item.execution, definitionReader(item), settings.seeds, inputs);
	return { inputs, outputNodeIds, seedHints };
}

/** The chosen nodes, or those that the author of an app chose; none means all. */
async function selectOutputNodes(item: ItemRun, { outputs, submit }: RunSettings, { workflow, graph }: PreparedInputs): Promise<string[]> {
	const chosen = findChosenNodes(graph, outputs);
	if (chosen.length > 0 || outputs.ignoresAppChoice) return chosen;
	return await findAppOutputs(graph, workflow, async () => await loadWorkflow(item, submit.source));
}

interface SubmittedRun extends SubmittedItem {
	/** What output items report about the submission. */
	reported: IDataObject;
}

/** Submits the item's workflow with its seeds and files in place, unless an earlier try has done so. */
async function submitRun(item: ItemRun, settings: RunSettings, ledger: SubmissionLedger, run: PreparedRun): Promise<SubmittedRun> {
	const { connection, signal, progress } = item;
	const { seedHints } = run;
	const { appFiles, hash, toEditorFile } = run.inputs;
	const files = [...appFiles, ...settings.files.rows];
	const submitted = await submitOnce(item, { ...settings.submit, keepTryingForMs: remainingWaitMs(settings.wait) }, ledger, {
		hash: files.length === 0 ? hash : hashOf({ hash, files }),
		toEditorFile,
		prepare: (seedKey) => addFilePlacement(item, prepareGraph(item.itemIndex, settings, run, seedKey), { ...settings.files, rows: files }),
	});
	const { job, key, isRecovered } = submitted;
	const facts = { ...submitted.facts, ...(isRecovered && (await readSeedsOfJob(connection, job.job_id, seedHints, signal))) };
	progress.add(facts);
	return { ...submitted, reported: { ...facts, ...(key !== null && { idempotency_key: key }) } };
}

/** Returns the graph to send, with the choices of its dynamic prompts and its seeds. @param seedKey as for `SubmissionRequest`. */
function prepareGraph(itemIndex: number, settings: RunSettings, { inputs, seedHints }: PreparedRun, seedKey: string): PreparedGraph {
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
async function waitForJob(item: ItemRun, settings: RunSettings, { job, record }: SubmittedRun, run: PreparedRun): Promise<WaitResult> {
	const { progress, signal } = item;
	if (!signal.aborted) progress.startWaiting();
	const ended = await outcomeOf(
		waitForEnd(item, job.job_id, settings.wait, {
			submitted: job,
			onFailed: async (failed) => await keepFinished({ item, settings }, run, failed),
			findRetryEffect: async () => await findRetryEffect(item, settings.submit, () => run.inputs.graph),
		}),
	);
	if (!signal.aborted) progress.stopWaiting();
	record.apply({ type: ended.ok || progress.hasJobEnded ? 'reported' : 'unreported' });
	if (!ended.ok) throw ended.error;
	return ended.value;
}

/** Keeps the files that a job finished before it failed, if the failure becomes an item. The failure of the job is reported in any case. */
async function keepFinished({ item, settings }: StartedItem<RunSettings>, { inputs, outputNodeIds }: PreparedRun, job: Job): Promise<void> {
	const { execution, progress } = item;
	const outputs = selectOutputs(job, inputs.graph, outputNodeIds, settings.outputs);
	if (outputs.length === 0 || !execution.continueOnFail()) return;
	const saved = await outcomeOf(saveOutputs(item, job.job_id, outputs, settings.image));
	if (!saved.ok) return;
	const { outputs: records, binary } = toNumberedOutputs(saved.value, settings.save.binaryField, toOutputRecord);
	progress.add({ outputs: records });
	progress.files = binary;
}

export const onRunEnd = async (items: Array<StartedItem<RunSettings>>): Promise<void> =>
	await freeAtRunEnd(items.map(({ item, settings }) => ({ item, settings: settings.wait })));

/** A job that has ended is kept. */
export async function onStop(item: ItemRun, { submit }: RunSettings): Promise<void> {
	if (item.progress.needsCancel) await cancelSubmitted(item, submit);
}
