import type { IExecuteFunctions } from 'n8n-workflow';

import {
	clock,
	type Connection,
	type EngineConnection,
	freeMemory,
	isTerminal,
	type Job,
	onePerKey,
	outcomeOf,
	type PoolMember,
	STOP_LIMIT_MS,
	StoppedError,
	untilStopped,
} from '../../../client';
import { type CredentialName, readControlCredential, serverKey, type ServiceCredential } from '../credentials';
import { logDecision } from '../debugLog';
import { wordsFor } from '../explain/wordsFor';
import { hintOnce } from '../hints';
import { messages } from '../messages/catalogue';
import { freesMemoryLine } from '../messages/logLines';
import type { Words } from '../messages/words';
import { isRunNode, type ItemRun, type StartedItem } from '../operation';
import type { SettingsOf } from '../options';
import { locatorValue } from '../parameters';
import { conversionContext } from '../workflows/controlServer';
import { freeMemoryOptions } from './freeMemoryOptions';
import { isPool } from './submit/placement';

/** A limit for the requests, because the results of the node are already there. */
const FREE_LIMIT_MS = STOP_LIMIT_MS;

export type FreeMemorySettings = SettingsOf<typeof freeMemoryOptions>;

/** An item at the end of the run. */
type EndedItem = StartedItem<{ freeMemory: FreeMemorySettings; cancelOnStop: boolean }>;

/** The jobs of a run of a node. */
interface RunJobs {
	/** The items of the jobs by their ids. */
	itemOfJob: Map<string, number>;
	/** All jobs of the node, also of items that have not begun; undefined until they are needed. */
	ownJobIds?: Set<string>;
	endedJobIds: Set<string>;
	/** The servers of the jobs by their ids, as far as they are known. Only a pool has several servers. */
	servers: Map<string, string>;
}

const runJobsOf = onePerKey<IExecuteFunctions, RunJobs>(() => ({ itemOfJob: new Map(), endedJobIds: new Set(), servers: new Map() }));

/** @param server the server of a pool that has the job. */
export function rememberJob({ execution, itemIndex }: ItemRun, jobId: string, server?: string): void {
	const { itemOfJob, ownJobIds, servers } = runJobsOf(execution);
	itemOfJob.set(jobId, itemIndex);
	ownJobIds?.add(jobId);
	if (server !== undefined) servers.set(jobId, server);
}

/** Frees the memory after the job of one item, if that was requested. Never throws. */
export async function freeAfterJob(item: ItemRun, settings: FreeMemorySettings, { job_id: jobId, status, server }: Job): Promise<void> {
	rememberJob(item, jobId, server);
	if (!isTerminal(status)) return;
	const { execution, shutdownSignal } = item;
	runJobsOf(execution).endedJobIds.add(jobId);
	if (settings.when !== 'afterEachJob') return;
	const { endedJobIds } = runJobsOf(execution);
	await tryToFree(item, settings, { own: findOwnJobIds(execution), ended: endedJobIds, ran: [jobId] }, shutdownSignal);
}

/** Reads the *Job ID* of each item once, however many jobs end. Items whose *Job ID* cannot be read have no job. Later jobs are added. */
function findOwnJobIds(execution: IExecuteFunctions): FreeingJobs['own'] {
	const jobs = runJobsOf(execution);
	if (isRunNode(execution)) return jobs.itemOfJob;
	return (jobs.ownJobIds ??= new Set([...jobs.itemOfJob.keys(), ...readJobIds(execution)]));
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

function isDueAtEnd({ item: { signal, progress }, settings }: EndedItem): boolean {
	const { when } = settings.freeMemory;
	return progress.jobId !== undefined && (when === 'whenDone' || (when === 'afterEachJob' && signal.aborted));
}

/**
 * Frees the memory after the last job of a run: once for each credential, and in a pool on the servers of the items that request
 * it. After a stop, it also does so for *After Each Job*, because the stopped jobs did not end in their items. Never throws.
 */
export async function freeAtRunEnd(items: EndedItem[]): Promise<void> {
	const due = items.filter(isDueAtEnd);
	const dueItems = new Set(due.map(({ item }) => item.itemIndex));
	const perCredential = new Map(await Promise.all(due.map(async (ended) => [await credentialKey(ended.item), ended] as const)));
	await Promise.all(
		[...perCredential.values()].map(async ({ item, settings }) => {
			const ended = finishedJobIds(item.execution, items);
			const ran = [...runJobsOf(item.execution).itemOfJob].flatMap(([jobId, index]) => (dueItems.has(index) ? jobId : []));
			await tryToFree(item, settings.freeMemory, { own: ended, ended, ran });
		}),
	);
}

/**
 * Returns the same text for the same credential and address with each value of the option *Interface*. If n8n does not return
 * the credential again, the text depends on that option. Never throws, because the results of the node are already there.
 */
async function credentialKey({ execution, itemIndex, credential }: ItemRun): Promise<string> {
	try {
		const name = execution.getNodeParameter('authentication', itemIndex) as CredentialName;
		return serverKey(readControlCredential(name, await execution.getCredentials(name, itemIndex)));
	} catch {
		return serverKey(credential);
	}
}

/** The jobs that have ended, and after a stop those that the stop has canceled: an engine needs some time to end them. */
function finishedJobIds(execution: IExecuteFunctions, items: EndedItem[]): Set<string> {
	const canceled = items.filter(({ item: { signal }, settings }) => signal.aborted && settings.cancelOnStop);
	return new Set([...runJobsOf(execution).endedJobIds, ...canceled.flatMap(({ item: { progress } }) => progress.jobId ?? [])]);
}

interface FreeingJobs {
	/** The jobs of this node, which do not prevent it. */
	own: Pick<ReadonlySet<string>, 'has'>;
	/** Those that have ended, so that the node need not wait for them. */
	ended: ReadonlySet<string>;
	/** The jobs that ran. In a pool, only the servers of these jobs free their memory. */
	ran: readonly string[];
}

/** A request to free memory. */
interface Freeing {
	item: ItemRun;
	settings: FreeMemorySettings;
	jobs: FreeingJobs;
	/** Limits the requests. */
	requestSignal: AbortSignal;
	/** Ends the wait for the memory. */
	waitSignal: AbortSignal;
	/** Limits the requests and the wait together. */
	wholeSignal: AbortSignal;
}

/** @param stop ends the requests too. */
async function tryToFree(item: ItemRun, settings: FreeMemorySettings, jobs: FreeingJobs, stop?: AbortSignal): Promise<void> {
	const { execution, credential } = item;
	const limit = (ms: number): AbortSignal => AbortSignal.any([...(stop === undefined ? [] : [stop]), clock.signalAfter(ms)]);
	const requestSignal = limit(FREE_LIMIT_MS);
	const wholeSignal = limit(2 * FREE_LIMIT_MS + settings.maxWaitMs);
	const waitSignal = AbortSignal.any([item.signal, item.shutdownSignal]);
	const freed = await outcomeOf(freeServers({ item, settings, jobs, requestSignal, waitSignal, wholeSignal }));
	const hints = freed.ok ? freed.value : [failureHint(freed.error, credential)];
	for (const hint of hints) if (hint !== undefined) hintOnce(execution, hint);
}

/** @param server its address, if it is one of a pool. */
const at = (server?: string): string => (server === undefined ? '' : ` at ${server}`);

function failureHint(error: unknown, credential: ServiceCredential, server?: string): Words {
	if (error instanceof StoppedError) return messages.MEMORY_NOT_FREED_IN_TIME(at(server));
	return messages.MEMORY_NOT_FREED(at(server), wordsFor(error, credential));
}

/** @returns for each server what the user should know; undefined if its memory is free. */
async function freeServers(freeing: Freeing): Promise<Array<Words | undefined>> {
	const { connection } = freeing.item;
	if (!isPool(connection)) return [await freeControlServer(freeing)];
	const servers = await findServers(freeing);
	const used = connection.members.filter(({ address }) => servers.has(address));
	return await Promise.all(used.map(async (member) => await freeMember(freeing, member)));
}

async function freeMember(freeing: Freeing, member: PoolMember): Promise<Words | undefined> {
	const { requestSignal: signal } = freeing;
	const open = async (): Promise<EngineConnection> => await untilStopped(member.open({ signal }), signal);
	const freed = await outcomeOf(open().then(async (engine) => await freeUnlessBusy(engine, freeing, member.address)));
	return freed.ok ? freed.value : failureHint(freed.error, freeing.item.credential, member.address);
}

/** Returns the servers of the jobs. A job is read if its server is not known yet, for example after a stop. */
async function findServers({ item: { execution, connection }, jobs, requestSignal: signal }: Freeing): Promise<Set<string>> {
	const { servers } = runJobsOf(execution);
	const found = await Promise.all(
		jobs.ran.map(async (id) => {
			const known = servers.get(id);
			if (known !== undefined) return known;
			const read = await outcomeOf(connection.jobs.get(id, { signal }));
			return read.ok ? read.value.server : undefined;
		}),
	);
	return new Set(found.filter((server) => server !== undefined));
}

async function freeControlServer(freeing: Freeing): Promise<Words | undefined> {
	const { item, wholeSignal } = freeing;
	const { credential } = item;
	const managed = messages.MEMORY_MANAGED_BY_SERVICE(credential.displayName);
	if (credential.isOwnServer !== true) return managed;
	const server = await conversionContext(item, wholeSignal).findControlServer();
	if (server === undefined) return managed;
	const work = async (connection: Connection): Promise<Words | undefined> =>
		connection.interface === 'engine' && !isPool(connection) ? await freeUnlessBusy(connection, freeing) : managed;
	const freed = await outcomeOf(server.use(work));
	return freed.ok ? freed.value : failureHint(freed.error, server.credential);
}

/** @returns what the user should know; undefined if the memory is free, or will be when the jobs of others have ended. */
async function freeUnlessBusy(
	connection: EngineConnection,
	{ settings, jobs, requestSignal: signal, waitSignal }: Freeing,
	server?: string,
): Promise<Words | undefined> {
	const { isForced, maxWaitMs } = settings;
	const { running, pending } = isForced ? NO_JOBS : await connection.control.queue({ signal });
	const others = [...running, ...pending].filter(({ job_id: jobId }) => !jobs.own.has(jobId));
	if (others.length > 0) return messages.MEMORY_IN_USE(others.length, at(server), freeMemoryOptions.isForced.label);
	logDecision(freesMemoryLine);
	const request = { caches: true, maxWaitMs, endedJobIds: jobs.ended };
	const { isFinal, isBusy } = await freeMemory(connection, request, { signal }, { signal: waitSignal });
	const isNotSteady = isFinal === false && !isBusy && maxWaitMs > 0 && !waitSignal.aborted;
	return isNotSteady ? messages.MEMORY_NOT_STEADY(maxWaitMs / 1_000, at(server), freeMemoryOptions.maxWaitMs.label) : undefined;
}

const NO_JOBS = { running: [], pending: [] };
