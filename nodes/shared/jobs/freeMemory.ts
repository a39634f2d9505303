import type { IExecuteFunctions } from 'n8n-workflow';

import { clock, type Connection, isTerminal, type Job, outcomeOf, STOP_LIMIT_MS, StoppedError } from '../../../client';
import { onePerKey } from '../caches';
import { type CredentialName, readControlCredential, serverKey, type ServiceCredential } from '../credentials';
import { logDecision } from '../debugLog';
import { freeMemory, freeMemoryAnyway } from '../descriptions/jobFields';
import { hintOnce } from '../hints';
import { requireChoice } from '../itemFault';
import { freesMemoryLine } from '../messages/logLines';
import { wordsFor } from '../messages/wordsFor';
import { isRunNode, type ItemContext } from '../operation';
import { locatorValue } from '../parameters';
import { conversionContext } from '../workflows/controlServer';

/** A limit for the requests, because the results of the node are already there. */
const FREE_LIMIT_MS = STOP_LIMIT_MS;

export interface FreeMemorySettings {
	when: 'no' | 'whenDone' | 'afterEachJob';
	/** Whether jobs of others that wait or run do not matter. */
	isForced: boolean;
}

export interface FreeMemoryOptions {
	freeMemory?: FreeMemorySettings['when'];
	freeMemoryEvenIfOthersWait?: boolean;
}

/** @throws ItemFault for an unknown choice, which an expression may return. */
export function readFreeMemory({
	freeMemory: when = 'no',
	freeMemoryEvenIfOthersWait: isForced = false,
}: FreeMemoryOptions): FreeMemorySettings {
	return { when: requireChoice(when, ['no', 'whenDone', 'afterEachJob'], freeMemory.displayName, ' in Options'), isForced };
}

/** The part of an item that this file uses. */
export type FreeContext = ItemContext<{ freeMemory: FreeMemorySettings; cancelOnStop: boolean }>;

/** The jobs of a run of a node. */
interface RunJobs {
	jobIds: Set<string>;
	endedJobIds: Set<string>;
}

const runJobsOf = onePerKey<IExecuteFunctions, RunJobs>(() => ({ jobIds: new Set(), endedJobIds: new Set() }));

export const noteJob = ({ execution }: FreeContext, jobId: string): void => void runJobsOf(execution).jobIds.add(jobId);

/** Frees the memory after the job of one item, if that was requested. Never throws. */
export async function freeAfterJob(context: FreeContext, { job_id: jobId, status }: Job): Promise<void> {
	if (!isTerminal(status)) return;
	const { execution, settings, shutdownSignal } = context;
	runJobsOf(execution).endedJobIds.add(jobId);
	if (settings.freeMemory.when === 'afterEachJob') await tryToFree(context, ownJobIds(execution), shutdownSignal);
}

/** Returns the ids of all jobs of the node, also of items that have not begun. */
function ownJobIds(execution: IExecuteFunctions): Set<string> {
	const { jobIds } = runJobsOf(execution);
	if (isRunNode(execution)) return jobIds;
	return new Set([
		...jobIds,
		...execution.getInputData().map((_, index) => String(locatorValue(execution.getNodeParameter('jobId', index, '')) ?? '').trim()),
	]);
}

function isDueAtEnd({ settings, signal, progress }: FreeContext): boolean {
	const { when } = settings.freeMemory;
	return progress.jobId !== undefined && (when === 'whenDone' || (when === 'afterEachJob' && signal.aborted));
}

/**
 * Frees the memory after the last job of a run: once for each credential. After a stop, it also does so for *After Each Job*,
 * because the stopped jobs did not end in their items. Never throws.
 */
export async function freeAtRunEnd(contexts: FreeContext[]): Promise<void> {
	const due = contexts.filter(isDueAtEnd);
	const perCredential = new Map(await Promise.all(due.map(async (context) => [await credentialKey(context), context] as const)));
	await Promise.all([...perCredential.values()].map(async (context) => await tryToFree(context, finishedJobIds(context, contexts))));
}

/** Returns the same text for the same credential and address with each value of the option *Interface*. */
async function credentialKey({ execution, itemIndex }: FreeContext): Promise<string> {
	const name = execution.getNodeParameter('authentication', itemIndex) as CredentialName;
	return serverKey(readControlCredential(name, await execution.getCredentials(name, itemIndex)));
}

/** The jobs that have ended, and after a stop those that the stop has canceled: an engine needs some time to end them. */
function finishedJobIds({ execution }: FreeContext, contexts: FreeContext[]): Set<string> {
	const canceled = contexts.filter(({ signal, settings }) => signal.aborted && settings.cancelOnStop);
	return new Set([...runJobsOf(execution).endedJobIds, ...canceled.flatMap(({ progress: { jobId } }) => jobId ?? [])]);
}

async function tryToFree(context: FreeContext, own: ReadonlySet<string>, stop?: AbortSignal): Promise<void> {
	const signal = AbortSignal.any([...(stop === undefined ? [] : [stop]), clock.signalAfter(FREE_LIMIT_MS)]);
	const freed = await outcomeOf(freeUnlessBusy({ ...context, shutdownSignal: signal }, own));
	const { execution, credential } = context;
	const message = freed.ok ? freed.value : failureHint(freed.error, credential);
	if (message !== undefined) hintOnce(execution, { message });
}

const NOT_FREED = 'The memory of ComfyUI was not freed';

function failureHint(error: unknown, credential: ServiceCredential): string {
	if (error instanceof StoppedError) return `${NOT_FREED}, because ComfyUI did not respond in time. Run the node again when it responds.`;
	const { message, advice } = wordsFor(error, credential);
	return `${NOT_FREED}: ${message}. ${advice}`.trim();
}

const managedHint = (name: string): string =>
	`The service of the ${name} credential manages its memory itself, so Free Memory Afterwards has no effect. Remove the option.`;

const busyHint = (others: number): string =>
	`${NOT_FREED}, because ${others === 1 ? '1 job is' : `${others} jobs are`} still queued or running. To free it in this case too, turn on ${freeMemoryAnyway.displayName}.`;

/** @returns why nothing was freed; undefined if the request was sent. */
async function freeUnlessBusy(context: FreeContext, own: ReadonlySet<string>): Promise<string | undefined> {
	const { credential, settings, shutdownSignal: signal } = context;
	if (credential.isOwnServer !== true) return managedHint(credential.displayName);
	const server = await conversionContext(context).findControlServer();
	if (server === undefined) return managedHint(credential.displayName);
	const freed = await outcomeOf(server.use(async (connection) => await freeEngine(connection, settings.freeMemory, own, signal)));
	if (!freed.ok) return failureHint(freed.error, server.credential);
	if (freed.value === 'no engine') return managedHint(credential.displayName);
	return freed.value > 0 ? busyHint(freed.value) : undefined;
}

/** @returns the number of other jobs, because of which nothing was freed; 0 if the request was sent. */
async function freeEngine(
	connection: Connection,
	{ isForced }: FreeMemorySettings,
	own: ReadonlySet<string>,
	signal: AbortSignal,
): Promise<number | 'no engine'> {
	if (connection.interface !== 'engine') return 'no engine';
	const { running, pending } = isForced ? NO_JOBS : await connection.control.queue({ signal });
	const others = [...running, ...pending].filter(({ job_id: jobId }) => !own.has(jobId));
	if (others.length > 0) return others.length;
	logDecision(freesMemoryLine);
	await connection.maintenance.freeMemory({ caches: true }, { signal });
	return 0;
}

const NO_JOBS = { running: [], pending: [] };
