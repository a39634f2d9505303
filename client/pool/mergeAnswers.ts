/** How the answers of several servers become one: jobs, lists of jobs, and definitions. Pure. */
import { isRecord, type JsonRecord, listOf, numberOr, parseIfJson, recordOf, textOr } from '../json/decode';
import { ApiError } from '../errors/errors';
import type { Definitions } from '../graph/inputs/definitions';
import { FORGOTTEN_BY_ENGINE, type Job } from '../ports/job';
import { createdOrStartedAt } from '../list/listJobs';
import type { JobPage } from '../ports/jobService';

/** Several servers may have a job, because it ran elsewhere after its server was lost. The most useful status comes first. */
const BEST_FIRST = ['succeeded', 'running', 'queued', 'canceling', 'failed', 'canceled'];

/** Returns the job with the most useful status; undefined if there is none. */
export const bestOf = <T extends { job: Job }>(found: readonly T[]): T | undefined =>
	[...found].sort((one, other) => rank(one.job) - rank(other.job))[0];

/** Returns the best of the jobs that earlier attempts made; undefined if no server has one. */
export const chooseRecovered = <Server, Found extends { job: Job }>(
	values: ReadonlyArray<{ server: Server; value: Found | undefined }>,
): (Found & { server: Server }) | undefined =>
	bestOf(values.flatMap(({ server, value }) => (value === undefined ? [] : [{ ...value, server }])));

function rank({ status }: Job): number {
	const index = BEST_FIRST.indexOf(status);
	return index === -1 ? BEST_FIRST.length : index;
}

/** Whether the server does not know this job. An engine reports a job that it may have had as expired. */
export const isForgotten = ({ status, job_error: error }: Job): boolean => status === 'expired' && error?.code === FORGOTTEN_BY_ENGINE;

/** How far one server's list was read: the cursor of its page, and how many jobs of this page were returned already. */
export interface ListPosition {
	cursor?: string;
	skip: number;
}

/** By address. A server without an entry has no more jobs. */
export type ListPositions = Readonly<Record<string, ListPosition>>;

/**
 * Returns the positions in a cursor. Without a cursor, all lists begin.
 * @throws ApiError `invalid_cursor` if no list of these servers returned the cursor.
 */
export function decodePositions(cursor: string | undefined, addresses: readonly string[]): ListPositions {
	if (cursor === undefined) return Object.fromEntries(addresses.map((address) => [address, { skip: 0 }]));
	const json = parseIfJson(Buffer.from(cursor, 'base64url').toString());
	const decoded = recordOf(json);
	const positions = addresses.flatMap((address): Array<[string, ListPosition]> => {
		const position = decoded[address];
		return isRecord(position) ? [[address, { cursor: textOr(position.cursor, undefined), skip: numberOr(position.skip, 0) }]] : [];
	});
	if (positions.length === 0)
		throw new ApiError({ interface: 'engine', code: 'invalid_cursor', status: 400, message: 'The cursor belongs to another list' });
	return Object.fromEntries(positions);
}

/** The page of one server, and the position at which it was read. */
export interface ServerPage {
	address: string;
	position: ListPosition;
	page: JobPage;
}

/**
 * Merges the pages, newest first. It ends where one page is used up and has a successor, because the next job may be on that.
 * @param limit the most jobs to return.
 */
export function mergePages(pages: readonly ServerPage[], limit: number): Pick<JobPage, 'jobs' | 'nextCursor'> {
	const lists = pages.map(({ address, position, page }) => ({
		address,
		position,
		page,
		jobs: page.jobs.slice(position.skip),
		used: 0,
	}));
	const jobs: Job[] = [];
	const isUsedUp = (list: { jobs: Job[]; used: number }): boolean => list.used >= list.jobs.length;
	while (jobs.length < limit && !lists.some((list) => isUsedUp(list) && list.page.nextCursor !== undefined)) {
		const [newest] = lists.filter((list) => !isUsedUp(list)).sort((one, other) => nextTime(other) - nextTime(one));
		const job = newest?.jobs[newest.used];
		if (newest === undefined || job === undefined) break;
		jobs.push(job);
		newest.used += 1;
	}
	const positions = lists.flatMap((list): Array<[string, ListPosition]> => {
		const { address, position, page, used } = list;
		if (!isUsedUp(list)) return [[address, { ...position, skip: position.skip + used }]];
		return page.nextCursor === undefined ? [] : [[address, { cursor: page.nextCursor, skip: 0 }]];
	});
	if (positions.length === 0) return { jobs };
	return { jobs, nextCursor: Buffer.from(JSON.stringify(Object.fromEntries(positions))).toString('base64url') };
}

/** A job whose time is unknown has just been submitted. */
function nextTime({ jobs, used }: { jobs: Job[]; used: number }): number {
	const job = jobs[used];
	return (job === undefined ? undefined : createdOrStartedAt(job)) ?? Number.MAX_VALUE;
}

const GROUPS = ['required', 'optional'] as const;

/**
 * Joins the definitions of several servers. The first server that has a class defines it, and its lists get the choices of the
 * other servers too, for example their models.
 */
export function joinDefinitions(all: readonly Definitions[]): Definitions {
	const joined: Definitions = {};
	for (const definitions of all) {
		for (const [name, definition] of Object.entries(definitions)) {
			const known = Object.hasOwn(joined, name) ? joined[name] : undefined;
			joined[name] = known === undefined ? definition : joinDefinition(known, definition);
		}
	}
	return joined;
}

function joinDefinition(one: JsonRecord, other: JsonRecord): JsonRecord {
	const [inputs, otherInputs] = [one.input, other.input];
	if (!isRecord(inputs) || !isRecord(otherInputs)) return one;
	const groups = GROUPS.flatMap((group): Array<[string, JsonRecord]> => {
		const [entries, others] = [inputs[group], otherInputs[group]];
		if (!isRecord(entries) || !isRecord(others)) return [];
		return [[group, Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, joinEntry(entry, others[name])]))]];
	});
	return { ...one, input: { ...inputs, ...Object.fromEntries(groups) } };
}

/** A list is `[[…], {…}]` or `["COMBO", {"options": […]}]`. */
function joinEntry(entry: unknown, other: unknown): unknown {
	const [type, settings, ...rest] = listOf(entry);
	const [otherType, otherSettings] = listOf(other);
	if (Array.isArray(type) && Array.isArray(otherType)) return [joinChoices(type, otherType), ...listOf(entry).slice(1)];
	if (type !== 'COMBO' || !isRecord(settings) || !isRecord(otherSettings)) return entry;
	return [type, { ...settings, options: joinChoices(listOf(settings.options), listOf(otherSettings.options)) }, ...rest];
}

const joinChoices = (choices: readonly unknown[], others: readonly unknown[]): unknown[] => [
	...choices,
	...others.filter((choice) => !choices.includes(choice)),
];
