/** One node, run once by n8n's engine: a failure must be explained in words for people, without a secret. */
import '../nodes/support/typescriptFirst';

import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../client';
import { STILL_RUNNING_OUTPUT } from '../../nodes/shared/jobs/wait';
import type { Sandbox } from '../../sandbox';
import { type Credential, type NodeResult, type NodeRun, runNode } from '../nodes/support/engine';
import { downloadRun, fileItem, uploadRun, workflowRun } from '../nodes/support/files';
import { credentialFor, type Way } from '../nodes/support/flavours';
import { collectLog, type LogLine } from '../nodes/support/log';
import { manageRun } from '../nodes/support/manage';
import { jsonRun, routerCredential } from '../nodes/support/router';
import { runRun } from '../nodes/support/run';
import { submitRun, waitRun } from '../nodes/support/submit';
import { membersOf } from '../support/sandboxPool';
import { until } from '../support/until';
import { beside, endlessGraphOf, graphOf, isOfCell, paidJobs } from './calls/speakers';
import { hosted } from './calls/v2';
import { secretsIn } from './secretsIn';
import { NodeFailure } from './outcomes';
import type { CallContext } from './shapes';

/** The sandbox, as the cell's proxy shows it. */
const behind = ({ sandbox, urls }: CallContext): Sandbox => ({ ...sandbox, urls, keys: sandbox.keys });

function credential(context: CallContext, way: Way = 'hosted'): Credential {
	const { type, data, interface: chosen = 'v2' } = credentialFor(behind(context), way, { routerUrl: context.urls.router });
	return { type, data, interface: way === 'bare_engine' ? 'engine' : chosen };
}

function poolCredential(context: CallContext): Credential {
	const { data, ...rest } = credential(context, 'bare_engine');
	const [, ...others] = membersOf(context.sandbox).map(({ urls }) => urls.engine);
	return { ...rest, data: { ...data, moreServers: others.join('\n') } };
}

/** Submitted past the proxy. */
async function submitted(context: CallContext, graph: ApiGraph, wanted: string): Promise<string> {
	const { job_id: id } = await beside(hosted, context, async ({ jobs }) => await jobs.submit({ graph }));
	await until(() => context.sandbox.job(id)?.status === wanted);
	return id;
}

const finished = async (context: CallContext): Promise<string> => await submitted(context, graphOf(context), 'succeeded');

const SOON = { maxWaitMinutes: 1 };
/** The job of a wait that ends is handed on. */
const HANDED_ON = { connected: STILL_RUNNING_OUTPUT };
const waitRunOf = async (context: CallContext): Promise<NodeRun> =>
	waitRun(credential(context), [await finished(context)], { parameters: SOON, ...HANDED_ON });
const runOf = (context: CallContext, way: Way): NodeRun =>
	runRun(credential(context, way), graphOf(context), { parameters: { ...SOON, options: {} }, ...HANDED_ON });
const routerRunOf = (context: CallContext): NodeRun =>
	jsonRun(
		routerCredential(behind(context)),
		'lab/open',
		{ prompt: context.mark },
		{ parameters: { ...SOON, options: { idempotencyKeyMode: 'custom', idempotencyKey: context.mark } } },
	);
const goingOn = (run: NodeRun): NodeRun => ({ ...run, settings: { onError: 'continueRegularOutput' } });

/** One item each, which identifies its cell. */
const NODE_RUNS = {
	'node upload': (context) => uploadRun(credential(context), [fileItem(Buffer.from(context.mark.repeat(2_000)), `${context.mark}.bin`)]),
	'node submit': (context) => submitRun(credential(context), graphOf(context)),
	'node wait': waitRunOf,
	'node wait that goes on': async (context) => goingOn(await waitRunOf(context)),
	'node get workflow': async (context) => workflowRun(credential(context), [await finished(context)]),
	'node download': async (context) => downloadRun(credential(context), [await finished(context)]),
	'node get job': async (context) => manageRun(credential(context), 'job:get', { parameters: { jobId: await finished(context) } }),
	'node cancel job': async (context) =>
		manageRun(credential(context), 'job:cancel', { parameters: { jobId: await submitted(context, endlessGraphOf(context), 'running') } }),
	'node get queue': (context) => manageRun(credential(context, 'v1'), 'queue:get'),
	'node get definitions': (context) =>
		manageRun(credential(context, 'v1'), 'nodeDefinition:getAll', { parameters: { classes: 'SaveImage' } }),
	'node run over v2': (context) => runOf(context, 'hosted'),
	'node run over v2 that goes on': (context) => goingOn(runOf(context, 'hosted')),
	'node run over v2, its reads': (context) => runOf(context, 'hosted'),
	'node run over v1': (context) => runOf(context, 'v1'),
	'node run on an engine': (context) => runOf(context, 'bare_engine'),
	'node run on a pool': (context) =>
		runRun(poolCredential(context), graphOf(context), { parameters: { ...SOON, options: {} }, ...HANDED_ON }),
	'node router run': routerRunOf,
	'node router run that goes on': (context) => goingOn(routerRunOf(context)),
} satisfies Record<string, (context: CallContext) => NodeRun | Promise<NodeRun>>;

export type NodeRunName = keyof typeof NODE_RUNS;

/** What a failure reports to people and to programs. */
interface Said {
	message: string;
	description: string;
	facts: IDataObject;
	itemIndex: unknown;
}

/** What no sentence for people holds: markup, a stack, and values without words. */
const NO_WORDS = [/<\/?[a-z!][^>]*>/i, /\n\s+at \S+ \(/, /\[object \w+\]/, /\bundefined\b/, /\bNaN\b/, /\bECONN\w+|\bUND_ERR\w+/];

function faultsOfWords({ message, description, itemIndex }: Said): string[] {
	const text = `${message}\n${description}`;
	return [
		...(message.trim() === '' ? ['no message'] : []),
		...(description.trim() === '' ? [`no word of what to do: ${message}`] : []),
		...(itemIndex === 0 ? [] : [`item ${String(itemIndex)} in place of 0: ${message}`]),
		...NO_WORDS.filter((pattern) => pattern.test(text)).map((pattern) => `${pattern.source} in: ${text}`),
	];
}

function saidBy({ error }: NodeResult): Said | undefined {
	if (error === undefined) return undefined;
	const { itemIndex, data } = error.context;
	return { message: error.message, description: error.description ?? '', facts: (data ?? {}) as IDataObject, itemIndex };
}

/** With Continue On Fail a failure is an item: it keeps what is known, and is paired. */
function saidByItem({ outputs }: NodeResult): Said | undefined {
	const item = outputs.flat().find(({ json }) => json.error !== undefined);
	if (item === undefined) return undefined;
	const { error, error_description: description, error_facts: facts, ...known } = item.json;
	const paired = item.pairedItem;
	return {
		message: String(error),
		description: String(description ?? ''),
		facts: { ...known, ...(facts as IDataObject | undefined) },
		itemIndex: typeof paired === 'object' && !Array.isArray(paired) ? paired.item : paired,
	};
}

/** If there may be a job, its id or key stays known. */
function lostIds(context: CallContext, { facts }: Said): string[] {
	const told = JSON.stringify(facts);
	const isKnown = paidJobs(context) === 0 || ['job_id', 'idempotency_key'].some((field) => told.includes(`"${field}"`));
	return isKnown ? [] : [`neither its job nor its key is known: ${told}`];
}

/** A link's query gives access to a file: it may stand in an item, and nowhere else. */
const SIGNED = /X-Goog-|GOOG4/;

function leaks({ sandbox }: CallContext, result: NodeResult, lines: LogLine[], said: Said | undefined): string[] {
	const { outputs, error, hints, stored, contextData } = result;
	const secrets = Object.values(sandbox.keys);
	const places = { outputs, error, hints, stored, contextData, log: lines };
	return [
		...Object.entries(places).flatMap(([place, told]) => secretsIn(told, secrets).map((secret) => `${secret} in ${place}`)),
		...(SIGNED.test(JSON.stringify([said, hints, lines])) ? ['a signed link in words'] : []),
		...(lines.length === 0 ? ['nothing was logged'] : []),
	];
}

/** Running jobs of a cell keep others from running. */
async function endJobs(context: CallContext): Promise<void> {
	const left = context.sandbox.jobs('hosted').filter(({ graph, status }) => status === 'running' && isOfCell(context, graph));
	if (left.length === 0) return;
	await beside(hosted, context, async ({ jobs }) => void (await Promise.all(left.map(async ({ id }) => await jobs.cancel(id)))));
}

/** @throws NodeFailure for a failure in good words; Error for anything that no node may do. */
export async function runNodeCell(name: NodeRunName, context: CallContext): Promise<void> {
	const { logger, lines } = collectLog();
	const run = await NODE_RUNS[name](context);
	const result = await runNode({ ...run, logger }).finally(async () => await endJobs(context));
	const goesOn = run.settings?.onError === 'continueRegularOutput';
	const said = goesOn ? saidByItem(result) : saidBy(result);
	// v1 has no key, and a lost answer took the id of its job along.
	const isOfJob = !/upload|queue|definitions|v1/.test(name);
	const wrong = [
		...leaks(context, result, lines, said),
		...(said === undefined ? [] : faultsOfWords(said)),
		...(said === undefined || !isOfJob ? [] : lostIds(context, said)),
		...(goesOn && result.status !== 'success' ? [`it did not go on: ${result.error?.message}`] : []),
	];
	if (wrong.length > 0) throw new Error(wrong.join('; '));
	if (said !== undefined) throw new NodeFailure(said.message, said.description, said.facts);
	if (result.outputs.flat().length === 0 && result.status === 'success' && name !== 'node get queue') throw new Error('No item came');
	if (result.status !== 'success') throw new Error(`It ended as ${result.status}, without a word`);
}
