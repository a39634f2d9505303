import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { type ApiGraph, applyInputs, findInput, type GraphInput, isTerminal, type Job, listenAhead, outcomeOf, parseInputValues } from '../../client';
import { saveOutputs } from '../shared/jobs/download/download';
import { placeFiles } from '../shared/jobs/files/placeFiles';
import type { SubmitSettings } from '../shared/jobs/submit/settings';
import { forgetSubmission, graphOf, onStop as stopSubmission, type SubmitContext, submitOnce } from '../shared/jobs/submit/submit';
import { jobForModel } from '../shared/jobs/tool/jobForModel';
import { type Awaited, awaitEnd, STILL_RUNNING_OUTPUT } from '../shared/jobs/wait';
import { jobItem } from '../shared/jobItems';
import type { ItemContext, ItemResult } from '../shared/operations';
import { hashOf, SubmissionLedger } from '../shared/submissionLedger';
import { doneItems } from './items';
import { chosenNodes, wantedOutputs } from './outputs';
import { hasSeeds, seedFacts, withSeeds } from './seeds';
import type { RunSettings } from './settings';

type RunContext = ItemContext<RunSettings>;

export const existingJobsAdvice = 'To get their files retry this execution, in the list of executions: no job is run twice.';

export const patienceMs = ({ wait }: RunSettings): number => wait.maxWaitMs;

/** Executions that have been told that a workflow has no seed. */
const toldOfSeeds = new WeakSet<IExecuteFunctions>();

function checkSeeds({ execution, settings: { seeds } }: RunContext, graph: ApiGraph): void {
	if (seeds.mode === 'asIs' || hasSeeds(graph) || toldOfSeeds.has(execution)) return;
	toldOfSeeds.add(execution);
	execution.addExecutionHints({
		message: 'The workflow has no seed that could be changed, so that the option Seeds changes nothing. Set it to As In The Workflow, or check that the workflow is the one you mean.',
		type: 'warning',
	});
}

function isGivenIn(settings: SubmitSettings, graph: ApiGraph): (input: GraphInput) => boolean {
	const values = parseInputValues(settings.inputValues);
	const ofRows = new Set(settings.inputRows.map((row) => findInput(graph, row.name).name));
	return ({ nodeId, input, name: inRow }) =>
		ofRows.has(inRow) || [nodeId, graph[nodeId]?._meta?.title].some((name) => name !== undefined && Object.hasOwn(values, name) && Object.hasOwn(values[name] ?? {}, input));
}

/** Sends what the item asks for, with its seeds in place. */
async function submit(context: RunContext, graph: ApiGraph): Promise<{ job: Job; facts: IDataObject }> {
	const { settings, itemIndex, known } = context;
	const { maxWaitMs, startedAt } = settings.wait;
	const keepTryingForMs = Math.max(0, maxWaitMs - (performance.now() - startedAt));
	const submission: SubmitContext = { ...context, settings: { ...settings.submit, keepTryingForMs } };
	const { job, key, facts } = await submitOnce(submission, {
		hash: hashOf(settings.files.rows.length === 0 ? graph : { graph, files: settings.files.rows }),
		prepare: async (drawKey) => {
			const isGiven = isGivenIn(settings.submit, graph);
			const seeded = withSeeds(graph, { ...settings.seeds, drawKey, itemIndex, isGiven });
			return { graph: applyInputs(seeded, await placeFiles(context, graph, settings.files)), facts: seedFacts(seeded) };
		},
	});
	Object.assign(known, facts);
	return { job, facts: { ...facts, ...(key !== null && { idempotency_key: key }) } };
}

/** Nobody is to think that a workflow made nothing. */
function tellPreviews({ execution }: RunContext, { job_id: jobId, outputs }: Job): void {
	execution.addExecutionHints({
		message: `Job ${jobId} made only temporary previews (${outputs.length}), which are left out. Turn on Include Temporary Previews in Options, or let the workflow save them, e.g. by Save Image in place of Preview Image.`,
		type: 'warning',
	});
}

/** Items whose job is waited for: when the execution is stopped, the wait itself cancels it. */
const awaited = new WeakSet<IDataObject>();

async function untilEnd(context: RunContext, submitted: Job): Promise<Awaited> {
	const { settings, known, signal } = context;
	const { job_id: jobId } = submitted;
	if (!signal.aborted) awaited.add(known);
	const ended = await outcomeOf(awaitEnd({ ...context, settings: { ...settings.wait, jobId } }, submitted));
	if (!signal.aborted) awaited.delete(known);
	new SubmissionLedger(context.execution, context.isTool).setTold(jobId, ended.ok || known.status !== undefined);
	if (!ended.ok) throw ended.error;
	return ended.value;
}

/** Submits, waits and saves by the operations of the other nodes. */
export async function execute(context: RunContext): Promise<ItemResult | ItemResult[]> {
	const { settings, known } = context;
	const graph = await graphOf({ ...context, settings: settings.submit });
	const nodeIds = chosenNodes(graph, settings.outputs);
	checkSeeds(context, graph);
	await listenAhead(context.connection, context);
	const { job: submitted, facts: submittedFacts } = await submit(context, graph);
	const jobId = submitted.job_id;
	const { job, times } = await untilEnd(context, submitted);
	const facts = { ...submittedFacts, ...times };
	if (!isTerminal(job.status)) return { json: { ...(context.isTool ? await jobForModel(context, job) : jobItem(job)), ...facts }, output: STILL_RUNNING_OUTPUT };
	known.status = job.status;
	const wanted = wantedOutputs(job, graph, nodeIds, settings.outputs);
	if (context.isTool) return { json: { ...(await jobForModel(context, job, wanted)), ...facts } };
	if (wanted.length === 0 && job.outputs.length > 0 && nodeIds.length === 0) tellPreviews(context, job);
	const saving = { ...settings.save, jobId };
	const all = await saveOutputs({ ...context, settings: saving }, wanted);
	return doneItems({ job, graph, facts, all }, saving);
}

/** What has ended is kept; a job that was waited for has been canceled by its wait. */
export async function onStop(context: RunContext): Promise<void> {
	const { known, settings } = context;
	if (known.status !== undefined) return;
	const submission: SubmitContext = { ...context, settings: settings.submit };
	if (awaited.has(known)) forgetSubmission(submission);
	else await stopSubmission(submission);
}
