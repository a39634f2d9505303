import type { IExecuteFunctions } from 'n8n-workflow';

import {
	clock,
	type Connection,
	type EngineConnection,
	isTerminal,
	type Job,
	outcomeOf,
	type PoolMember,
	STOP_LIMIT_MS,
	StoppedError,
	untilStopped,
} from '../../../client';
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
import { isPool } from './submit/placement';

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
	/** All jobs of the node, also of items that have not begun; undefined until they are needed. */
	ownJobIds?: Set<string>;
	endedJobIds: Set<string>;
	/** The servers of the jobs by their ids, as far as they are known. Only a pool has several servers. */
	servers: Map<string, string>;
}

const runJobsOf = onePerKey<IExecuteFunctions, RunJobs>(() => ({ jobIds: new Set(), endedJobIds: new Set(), servers: new Map() }));

/** @param server the server of a pool that has the job. */
export function rememberJob({ execution }: FreeContext, jobId: string, server?: string): void {
	const { jobIds, ownJobIds, servers } = runJobsOf(execution);
	jobIds.add(jobId);
	ownJobIds?.add(jobId);
	if (server !== undefined) servers.set(jobId, server);
}

/** Frees the memory after the job of one item, if that was requested. Never throws. */
export async function freeAfterJob(context: FreeContext, { job_id: jobId, status, server }: Job): Promise<void> {
	rememberJob(context, jobId, server);
	if (!isTerminal(status)) return;
	const { execution, settings, shutdownSignal } = context;
	runJobsOf(execution).endedJobIds.add(jobId);
	if (settings.freeMemory.when === 'afterEachJob') await tryToFree(context, findOwnJobIds(execution), [jobId], shutdownSignal);
}

/** Reads the *Job ID* of each item once, however many jobs end. Items whose *Job ID* cannot be read have no job. */
function findOwnJobIds(execution: IExecuteFunctions): Set<string> {
	const jobs = runJobsOf(execution);
	if (isRunNode(execution)) return jobs.jobIds;
	return (jobs.ownJobIds ??= new Set([...jobs.jobIds, ...readJobIds(execution)]));
}

function readJobIds(execution: IExecuteFunctions): string[] {
	return execution.getInputData().flatMap((_, index) => {
		try {
			return String(locatorValue(execution.getNodeParameter('jobId', index, '')) ?? '').trim();
		} catch {
			return [];
		}
	});
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
	await Promise.all(
		[...perCredential.values()].map(
			async (context) => await tryToFree(context, finishedJobIds(context, contexts), [...runJobsOf(context.execution).jobIds]),
		),
	);
}

/**
 * Returns the same text for the same credential and address with each value of the option *Interface*. If n8n does not return
 * the credential again, the text depends on that option. Never throws, because the results of the node are already there.
 */
async function credentialKey({ execution, itemIndex, credential }: FreeContext): Promise<string> {
	try {
		const name = execution.getNodeParameter('authentication', itemIndex) as CredentialName;
		return serverKey(readControlCredential(name, await execution.getCredentials(name, itemIndex)));
	} catch {
		return serverKey(credential);
	}
}

/** The jobs that have ended, and after a stop those that the stop has canceled: an engine needs some time to end them. */
function finishedJobIds({ execution }: FreeContext, contexts: FreeContext[]): Set<string> {
	const canceled = contexts.filter(({ signal, settings }) => signal.aborted && settings.cancelOnStop);
	return new Set([...runJobsOf(execution).endedJobIds, ...canceled.flatMap(({ progress: { jobId } }) => jobId ?? [])]);
}

/**
 * @param ownJobIds the jobs of this node, which do not prevent it.
 * @param jobIds the jobs that ran. In a pool, only the servers of these jobs free their memory.
 */
async function tryToFree(
	context: FreeContext,
	ownJobIds: ReadonlySet<string>,
	jobIds: readonly string[],
	stop?: AbortSignal,
): Promise<void> {
	const signal = AbortSignal.any([...(stop === undefined ? [] : [stop]), clock.signalAfter(FREE_LIMIT_MS)]);
	const freed = await outcomeOf(freeServers({ ...context, shutdownSignal: signal }, ownJobIds, jobIds));
	const { execution, credential } = context;
	const messages = freed.ok ? freed.value : [failureHint(freed.error, credential)];
	for (const message of messages) if (message !== undefined) hintOnce(execution, { message });
}

/** @param server its address, if it is one of a pool. */
const notFreed = (server?: string): string => `The memory of ComfyUI${server === undefined ? '' : ` at ${server}`} was not freed`;

function failureHint(error: unknown, credential: ServiceCredential, server?: string): string {
	if (error instanceof StoppedError)
		return `${notFreed(server)}, because ComfyUI did not respond in time. Run the node again when it responds.`;
	const { message, advice } = wordsFor(error, credential);
	return `${notFreed(server)}: ${message}. ${advice}`.trim();
}

const managedHint = (name: string): string =>
	`The service of the ${name} credential manages its memory itself, so Free Memory Afterwards has no effect. Remove the option.`;

const busyHint = (others: number, server?: string): string =>
	`${notFreed(server)}, because ${others === 1 ? '1 job is' : `${others} jobs are`} still queued or running. To free it in this case too, turn on ${freeMemoryAnyway.displayName}.`;

/** @returns for each server why nothing was freed; undefined if the request was sent. */
async function freeServers(
	context: FreeContext,
	ownJobIds: ReadonlySet<string>,
	jobIds: readonly string[],
): Promise<Array<string | undefined>> {
	const { connection } = context;
	if (!isPool(connection)) return [await freeUnlessBusy(context, ownJobIds)];
	const servers = await findServers(context, jobIds);
	const used = connection.members.filter(({ address }) => servers.has(address));
	return await Promise.all(used.map(async (member) => await freeMember(context, member, ownJobIds)));
}

async function freeMember(context: FreeContext, member: PoolMember, ownJobIds: ReadonlySet<string>): Promise<string | undefined> {
	const { credential, settings, shutdownSignal: signal } = context;
	const free = async (): Promise<number> => await freeEngine(await member.open({ signal }), settings.freeMemory, ownJobIds, signal);
	const freed = await outcomeOf(untilStopped(free(), signal));
	if (!freed.ok) return failureHint(freed.error, credential, member.address);
	return freed.value > 0 ? busyHint(freed.value, member.address) : undefined;
}

/** Returns the servers of the jobs. A job is read if its server is not known yet, for example after a stop. */
async function findServers(
	{ execution, connection, shutdownSignal: signal }: FreeContext,
	jobIds: readonly string[],
): Promise<Set<string>> {
	const { servers } = runJobsOf(execution);
	const found = await Promise.all(
		jobIds.map(async (id) => {
			const known = servers.get(id);
			if (known !== undefined) return known;
			const read = await outcomeOf(connection.jobs.get(id, { signal }));
			return read.ok ? read.value.server : undefined;
		}),
	);
	return new Set(found.filter((server) => server !== undefined));
}

/** @returns why nothing was freed; undefined if the request was sent. */
async function freeUnlessBusy(context: FreeContext, ownJobIds: ReadonlySet<string>): Promise<string | undefined> {
	const { credential, settings, shutdownSignal: signal } = context;
	if (credential.isOwnServer !== true) return managedHint(credential.displayName);
	const server = await conversionContext(context).findControlServer();
	if (server === undefined) return managedHint(credential.displayName);
	const work = async (connection: Connection): Promise<number | 'no engine'> =>
		connection.interface === 'engine' && !isPool(connection)
			? await freeEngine(connection, settings.freeMemory, ownJobIds, signal)
			: 'no engine';
	const freed = await outcomeOf(server.use(work));
	if (!freed.ok) return failureHint(freed.error, server.credential);
	if (freed.value === 'no engine') return managedHint(credential.displayName);
	return freed.value > 0 ? busyHint(freed.value) : undefined;
}

/** @returns the number of other jobs, because of which nothing was freed; 0 if the request was sent. */
async function freeEngine(
	connection: EngineConnection,
	{ isForced }: FreeMemorySettings,
	ownJobIds: ReadonlySet<string>,
	signal: AbortSignal,
): Promise<number> {
	const { running, pending } = isForced ? NO_JOBS : await connection.control.queue({ signal });
	const others = [...running, ...pending].filter(({ job_id: jobId }) => !ownJobIds.has(jobId));
	if (others.length > 0) return others.length;
	logDecision(freesMemoryLine);
	await connection.maintenance.freeMemory({ caches: true }, { signal });
	return 0;
}

const NO_JOBS = { running: [], pending: [] };
