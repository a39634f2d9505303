/** One node, run once by n8n's engine: a failure must be explained in words for people, without a secret. */
import '../nodes/support/typescriptFirst';

import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../client';
import type { Sandbox } from '../../sandbox';
import { type Credential, type NodeResult, type NodeRun, runNode } from '../nodes/support/engine';
import { downloadRun, fileItem, uploadRun, workflowRun } from '../nodes/support/files';
import { credentialFor, type Way } from '../nodes/support/flavours';
import { collectLog, type LogLine } from '../nodes/support/log';
import { manageRun } from '../nodes/support/manage';
import { jsonRun, routerCredential } from '../nodes/support/router';
import { runRun } from '../nodes/support/run';
import { submitRun, waitRun } from '../nodes/support/submit';
import { until } from '../support/until';
import { beside, endlessGraphOf, graphOf, isOfCell, paidJobs } from './calls/speakers';
import { hosted } from './calls/v2';
import { canariesIn } from './canaries';
import { NodeFailure } from './outcomes';
import type { Door } from './shapes';

/** The sandbox, as the cell's proxy shows it. */
const behind = ({ sandbox, urls }: Door): Sandbox => ({ ...sandbox, urls, keys: sandbox.keys });

function credential(door: Door, way: Way = 'hosted'): Credential {
	const { type, data, interface: chosen = 'v2' } = credentialFor(behind(door), way, { routerUrl: door.urls.router });
	return { type, data, interface: way === 'bare_engine' ? 'engine' : chosen };
}

/** Submitted past the proxy. */
async function submitted(door: Door, graph: ApiGraph, wanted: string): Promise<string> {
	const { job_id: id } = await beside(hosted, door, async ({ jobs }) => await jobs.submit({ graph }));
	await until(() => door.sandbox.job(id)?.status === wanted);
	return id;
}

const finished = async (door: Door): Promise<string> => await submitted(door, graphOf(door), 'succeeded');

const SOON = { maxWaitMinutes: 1 };
const waitRunOf = async (door: Door): Promise<NodeRun> => waitRun(credential(door), [await finished(door)], { parameters: SOON });
const runOf = (door: Door, way: Way): NodeRun => runRun(credential(door, way), graphOf(door), { parameters: { ...SOON, options: {} } });
const routerRunOf = (door: Door): NodeRun =>
	jsonRun(
		routerCredential(behind(door)),
		'lab/open',
		{ prompt: door.mark },
		{ parameters: { ...SOON, options: { idempotencyKeyMode: 'custom', idempotencyKey: door.mark } } },
	);
const goingOn = (run: NodeRun): NodeRun => ({ ...run, settings: { onError: 'continueRegularOutput' } });

/** One item each, which identifies its cell. */
const NODE_RUNS = {
	'node upload': (door) => uploadRun(credential(door), [fileItem(Buffer.from(door.mark.repeat(2_000)), `${door.mark}.bin`)]),
	'node submit': (door) => submitRun(credential(door), graphOf(door)),
	'node wait': waitRunOf,
	'node wait that goes on': async (door) => goingOn(await waitRunOf(door)),
	'node get workflow': async (door) => workflowRun(credential(door), [await finished(door)]),
	'node download': async (door) => downloadRun(credential(door), [await finished(door)]),
	'node get job': async (door) => manageRun(credential(door), 'job:get', { parameters: { jobId: await finished(door) } }),
	'node cancel job': async (door) =>
		manageRun(credential(door), 'job:cancel', { parameters: { jobId: await submitted(door, endlessGraphOf(door), 'running') } }),
	'node get queue': (door) => manageRun(credential(door, 'v1'), 'queue:get'),
	'node get definitions': (door) => manageRun(credential(door, 'v1'), 'nodeDefinition:getAll', { parameters: { classes: 'SaveImage' } }),
	'node run over v2': (door) => runOf(door, 'hosted'),
	'node run over v2 that goes on': (door) => goingOn(runOf(door, 'hosted')),
	'node run over v2, its reads': (door) => runOf(door, 'hosted'),
	'node run over v1': (door) => runOf(door, 'v1'),
	'node run on an engine': (door) => runOf(door, 'bare_engine'),
	'node router run': routerRunOf,
	'node router run that goes on': (door) => goingOn(routerRunOf(door)),
} satisfies Record<string, (door: Door) => NodeRun | Promise<NodeRun>>;

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
function lostIds(door: Door, { facts }: Said): string[] {
	const told = JSON.stringify(facts);
	const isKnown = paidJobs(door) === 0 || ['job_id', 'idempotency_key'].some((field) => told.includes(`"${field}"`));
	return isKnown ? [] : [`neither its job nor its key is known: ${told}`];
}

/** A link's query gives access to a file: it may stand in an item, and nowhere else. */
const SIGNED = /X-Goog-|GOOG4/;

function leaks({ sandbox }: Door, result: NodeResult, lines: LogLine[], said: Said | undefined): string[] {
	const { outputs, error, hints, stored, contextData } = result;
	const secrets = Object.values(sandbox.keys);
	const places = { outputs, error, hints, stored, contextData, log: lines };
	return [
		...Object.entries(places).flatMap(([place, told]) => canariesIn(told, secrets).map((secret) => `${secret} in ${place}`)),
		...(SIGNED.test(JSON.stringify([said, hints, lines])) ? ['a signed link in words'] : []),
		...(lines.length === 0 ? ['nothing was logged'] : []),
	];
}

/** Running jobs of a cell keep others from running. */
async function endJobs(door: Door): Promise<void> {
	const left = door.sandbox.jobs('hosted').filter(({ graph, status }) => status === 'running' && isOfCell(door, graph));
	if (left.length === 0) return;
	await beside(hosted, door, async ({ jobs }) => void (await Promise.all(left.map(async ({ id }) => await jobs.cancel(id)))));
}

/** @throws NodeFailure for a failure in good words; Error for anything that no node may do. */
export async function runNodeCell(name: NodeRunName, door: Door): Promise<void> {
	const { logger, lines } = collectLog();
	const run = await NODE_RUNS[name](door);
	const result = await runNode({ ...run, logger }).finally(async () => await endJobs(door));
	const goesOn = run.settings?.onError === 'continueRegularOutput';
	const said = goesOn ? saidByItem(result) : saidBy(result);
	// v1 has no key, and a lost answer took the id of its job along.
	const isOfJob = !/upload|queue|definitions|v1/.test(name);
	const wrong = [
		...leaks(door, result, lines, said),
		...(said === undefined ? [] : faultsOfWords(said)),
		...(said === undefined || !isOfJob ? [] : lostIds(door, said)),
		...(goesOn && result.status !== 'success' ? [`it did not go on: ${result.error?.message}`] : []),
	];
	if (wrong.length > 0) throw new Error(wrong.join('; '));
	if (said !== undefined) throw new NodeFailure(said.message, said.description, said.facts);
	if (result.outputs.flat().length === 0 && result.status === 'success' && name !== 'node get queue') throw new Error('No item came');
	if (result.status !== 'success') throw new Error(`It ended as ${result.status}, without a word`);
}
