/** One node, run once by n8n's engine: what it says of a failure must be words for people, and nothing of it a secret. */
import './n8nFolder';
import '../nodes/support/typescriptFirst';

import type { IDataObject } from 'n8n-workflow';

import { connect } from '../../client';
import { type NodeResult, runNode } from '../nodes/support/engine';
import { collectLog, type LogLine } from '../nodes/support/log';
import { canariesIn } from './canaries';
import { NodeFailure } from './nodeFailure';
import { NODE_RUNS, type NodeRunName } from './nodeRuns';
import type { Door } from './shapes';

/** What is said of a failure, and to a program. */
interface Said {
	message: string;
	description: string;
	facts: IDataObject;
	itemIndex: unknown;
}

/** What no sentence for people holds: markup, a stack, and values that nobody has put into words. */
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

/** A failure is an item there: it keeps what is known, and is paired. */
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

/** Its job's id stays known: in the item, or among what a failure tells a program. */
function lostIds({ sandbox, mark }: Door, { facts }: Said): string[] {
	const told = JSON.stringify(facts);
	const mayHaveRun = sandbox.ledger.runs.filter(({ jobId }) => JSON.stringify(sandbox.job(jobId)?.graph ?? {}).includes(mark));
	const isKnown = mayHaveRun.length === 0 || ['job_id', 'idempotency_key'].some((field) => told.includes(`"${field}"`));
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

/** What a cell leaves behind keeps others from running. */
async function endJobs({ sandbox, mark }: Door): Promise<void> {
	const left = sandbox.jobs('hosted').filter(({ graph, status }) => status === 'running' && JSON.stringify(graph).includes(mark));
	if (left.length === 0) return;
	const { jobs, close } = connect({ interface: 'v2', baseUrl: sandbox.urls.hosted, token: sandbox.keys.apiKey });
	await Promise.all(left.map(async ({ id }) => await jobs.cancel(id))).finally(close);
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
