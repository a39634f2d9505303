import type { IDataObject } from 'n8n-workflow';

import {
	type ApiGraph,
	applyInputs,
	clock,
	findInput,
	type GraphInput,
	isTerminal,
	type Job,
	listenAhead,
	outcomeOf,
	parseInputValues,
	type SeedSigns,
} from '../../client';
import { appOutputs } from '../shared/app/itemValues';
import { saveOutputs } from '../shared/jobs/download/download';
import { placeFiles } from '../shared/inputFiles/placeFiles';
import type { SubmitSettings, SubmitContext } from '../shared/jobs/submit/settings';
import { onStop as stopSubmission } from '../shared/jobs/submit/submit';
import { submitOnce } from '../shared/jobs/submit/submitOnce';
import { type Asked, asked, givenBy } from '../shared/jobs/submit/asked';
import { jobForModel } from '../shared/jobs/jobForModel';
import { type Awaited, awaitedForModel, awaitEnd, STILL_RUNNING_OUTPUT } from '../shared/jobs/wait';
import { jobItem } from '../shared/jobs/jobItems';
import { isShuttingDown, type ItemContext, type ItemResult } from '../shared/operation';
import { hashOf, SubmissionLedger } from '../shared/submission/submissionLedger';
import { loadWorkflow } from '../shared/workflows/load';
import type { LoadedWorkflow } from '../shared/workflows/convert';
import { hashOfAsked, workflowOfItem } from '../shared/workflows/ofItem';
import { resolvePrompts } from '../shared/workflows/prompts';
import { doneItems } from './items';
import { chosenNodes, wantedOutputs } from './outputs';
import { seedFacts, seedSigns, warnWithoutSeeds, withSeeds } from './seeds';
import type { RunSettings } from './settings';

type RunContext = ItemContext<RunSettings>;

export const existingJobsAdvice = 'To get their files retry this execution, in the list of executions: no job is run twice.';

function isGivenIn(settings: SubmitSettings, { graph, setByApp }: Asked): (input: GraphInput) => boolean {
	const values = parseInputValues(settings.inputValues);
	const ofRows = new Set(settings.inputRows.map((row) => findInput(graph, row.name).name));
	return ({ nodeId, input, name: inRow }) =>
		ofRows.has(inRow) ||
		setByApp.has(inRow) ||
		[nodeId, graph[nodeId]?._meta?.title].some(
			(name) => name !== undefined && Object.hasOwn(values, name) && Object.hasOwn(values[name] ?? {}, input),
		);
}

function hashOfRun(context: RunContext, workflow: LoadedWorkflow, { graph, appFiles }: Asked): string {
	const { submit: ofSubmit, files } = context.settings;
	const hash = hashOfAsked(graph, workflow, ofSubmit.source, givenBy({ ...context, settings: ofSubmit }));
	const rows = [...appFiles, ...files.rows];
	return rows.length === 0 ? hash : hashOf({ hash, files: rows });
}

/** Sends what the item asks for, with its seeds in place. */
async function submit(
	context: RunContext,
	workflow: LoadedWorkflow,
	what: Asked,
	signs: SeedSigns,
): Promise<{ job: Job; facts: IDataObject }> {
	const { settings, itemIndex, known } = context;
	const { graph, appFiles } = what;
	const { maxWaitMs, startedAt } = settings.wait;
	const keepTryingForMs = Math.max(0, maxWaitMs - (clock.now() - startedAt));
	const submission: SubmitContext = { ...context, settings: { ...settings.submit, keepTryingForMs } };
	const { job, key, facts, isFound } = await submitOnce(submission, {
		hash: hashOfRun(context, workflow, what),
		prepare: async (drawKey) => {
			const isGiven = isGivenIn(settings.submit, what);
			const { graph: said, facts: told } = resolvePrompts(graph, workflow, drawKey);
			const seeded = withSeeds(said, { ...settings.seeds, drawKey, itemIndex, isGiven }, signs);
			return {
				graph: applyInputs(seeded, await placeFiles(context, graph, { ...settings.files, rows: [...appFiles, ...settings.files.rows] })),
				facts: { ...told, ...seedFacts(seeded, signs, settings.seeds.mode) },
			};
		},
	});
	const told = { ...facts, ...(isFound && (await seedsOfFound(context, job.job_id, signs))) };
	Object.assign(known, told);
	return { job, facts: { ...told, ...(key !== null && { idempotency_key: key }) } };
}

/** An engine's job is found by its id, and may have been made of another input than the item has now: its own workflow tells. */
async function seedsOfFound({ connection, signal }: RunContext, jobId: string, signs: SeedSigns): Promise<IDataObject> {
	if (connection.interface !== 'engine') return {};
	const own = await outcomeOf(connection.jobs.workflow(jobId, { signal }));
	return own.ok ? seedFacts(own.value.workflow as ApiGraph, signs) : { seed: null, seeds: {} };
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

/** What was chosen, else what the author of an app chose; none means all. */
async function wantedNodes(context: RunContext, workflow: LoadedWorkflow, graph: ApiGraph): Promise<string[]> {
	const {
		outputs,
		submit: { source },
	} = context.settings;
	const chosen = chosenNodes(graph, outputs);
	return chosen.length > 0 || outputs.takesAll
		? chosen
		: await appOutputs(graph, workflow, async () => await loadWorkflow(context, source));
}

/** Submits, waits and saves by the operations of the other nodes. */
export async function execute(context: RunContext): Promise<ItemResult | ItemResult[]> {
	const { settings, known } = context;
	const workflow = await workflowOfItem(context, settings.submit.source);
	const what = await asked({ ...context, settings: settings.submit }, workflow, settings.files.rows);
	const { graph } = what;
	const nodeIds = await wantedNodes(context, workflow, graph);
	const signs = await seedSigns(context, settings.seeds, graph, workflow);
	warnWithoutSeeds(context.execution, settings.seeds, graph, signs);
	if (!isShuttingDown(context)) await listenAhead(context.connection, context);
	const { job: submitted, facts: submittedFacts } = await submit(context, workflow, what, signs);
	const jobId = submitted.job_id;
	const { job, times } = await untilEnd(context, submitted);
	const facts = { ...submittedFacts, ...times };
	if (!isTerminal(job.status))
		return { json: { ...(context.isTool ? await awaitedForModel(context, job) : jobItem(job)), ...facts }, output: STILL_RUNNING_OUTPUT };
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
	if (known.status !== undefined || awaited.has(known)) return;
	await stopSubmission({ ...context, settings: settings.submit });
}
