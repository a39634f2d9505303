/** A service whose list of jobs each test writes, and searches on it. */
import { type ApiGraph, connect, type Connection, type Job, UnknownOutcomeError } from '../../../../client';
import { realClock, setClock } from '../../../../client/async/clock';
import type { JobStatus } from '../../../../client/ports/job';
import { claimedJobs } from '../../../../client/recovery/claimedJobs';
import { JobRecovery, type RecoveryRequest, type ServiceClock } from '../../../../client/recovery/jobRecovery';
import { fasterClock } from '../../../support/fastClock';
import { failureOf } from '../../support/bytes';
import { json, serve, type TestServer } from '../../support/server';

export const NOW = Date.parse('2026-11-23T12:00:00Z');
export const SINCE = NOW - 10 * 60_000;
export const HOUR_MS = 60 * 60_000;
export const GRAPH: ApiGraph = { '1': { class_type: 'EmptyImage', inputs: { color: 1 } } };
export const OTHER_GRAPH: ApiGraph = { '1': { class_type: 'EmptyImage', inputs: { color: 2 } } };
export const FILE_ID = '5f0c1d5e0b3f4b6f9d8e7a6b5c4d3e2f';
export const asset = (id: string): ApiGraph => ({
	'1': { class_type: 'LoadImage', inputs: { image: { __type: 'core/ASSET', info: { id } } } },
});

export interface ListedJob {
	id: string;
	/** Epoch milliseconds; null if the service does not report it. */
	madeAt: number | null;
	/** The time in the answer to the read of the job, if it differs. */
	madeAtWhenRead?: number;
	graph?: ApiGraph;
	format?: string;
	status?: JobStatus;
	/** The answer to the read of the job or of its workflow, in place of it. */
	answers?: { job?: number; workflow?: number; code?: string; /** Answered so often, then as usual. */ times?: number };
}

interface ListService {
	jobs: ListedJob[];
	/** One list, or one for each page. */
	pages: ListedJob[][] | undefined;
	list: { status?: number; code?: string; isTruncated?: boolean; ofStatus?: ListedJob[] };
	/** Called before the list is answered for the n-th time, from 1. */
	onList: (nth: number) => void;
	/** How often the list was requested. */
	lists: number;
	connection: Connection;
	/** How many requests had an address with this end. */
	reads(end: string): number;
	recovery(): JobRecovery;
}

const refused = (status: number, code: string) => json(status, { error: { code, message: code } });
const jobJson = ({ id, madeAt, status = 'succeeded' }: ListedJob) => ({
	id,
	status,
	created_at: madeAt === null ? null : new Date(madeAt).toISOString(),
	urls: { self: `/api/v2/jobs/${id}` },
});

export const request = (more: Partial<RecoveryRequest> = {}): RecoveryRequest => ({
	owner: {},
	graph: GRAPH,
	since: SINCE,
	isJobProven: true,
	...more,
});

/** Starts the service for all tests of the file. Each test begins with an empty list and without claims. */
export function useListService(): ListService {
	let server: TestServer;
	const service = {} as ListService;
	beforeAll(async () => {
		setClock({ ...fasterClock(100), wallNow: () => NOW });
		server = await serve(async (received, response) => {
			const { pathname, searchParams } = new URL(received.url, 'http://service');
			const [, id = '', part] = /\/jobs\/([^/]+)(\/workflow)?$/.exec(pathname) ?? [];
			if (id === '') {
				service.onList(++service.lists);
				const { jobs, pages, list } = service;
				if (list.status !== undefined) return await refused(list.status, list.code ?? 'refused')(received, response);
				const at = Number(searchParams.get('cursor') ?? 0);
				const all = searchParams.has('status') ? (list.ofStatus ?? jobs) : jobs;
				const page = pages === undefined ? all : (pages[at] ?? []);
				const more = pages !== undefined && at + 1 < pages.length ? { next_cursor: String(at + 1) } : {};
				const cut = list.isTruncated === undefined ? {} : { truncated: list.isTruncated };
				return await json(200, { jobs: page.map(jobJson), ...more, ...cut })(received, response);
			}
			const { jobs, pages, list } = service;
			const job = [...(pages?.flat() ?? jobs), ...(list.ofStatus ?? [])].find((one) => one.id === id);
			const status = part === undefined ? job?.answers?.job : job?.answers?.workflow;
			if (job === undefined || status !== undefined) {
				const code = job?.answers?.code ?? 'job_not_found';
				if (job?.answers?.times !== undefined && --job.answers.times === 0) job.answers = undefined;
				return await refused(status ?? 404, code)(received, response);
			}
			const answer =
				part === undefined
					? jobJson({ ...job, madeAt: job.madeAtWhenRead ?? job.madeAt })
					: { workflow: job.graph ?? GRAPH, format: job.format ?? 'api' };
			await json(200, answer)(received, response);
		});
		service.connection = connect({ interface: 'v2', baseUrl: server.origin, token: 'key', readBudgetMs: 0 });
		service.reads = (end) => server.seen.filter(({ url }) => url.endsWith(end)).length;
		service.recovery = () => new JobRecovery(service.connection.jobs, IN_TIME);
	});
	beforeEach(() => {
		claimedJobs.clear();
		server.seen.splice(0);
		Object.assign(service, { jobs: [], pages: undefined, list: {}, onList: () => undefined, lists: 0 });
	});
	afterAll(async () => {
		setClock(realClock);
		await service.connection.close();
		await server.close();
	});
	return service;
}

/** A service whose clock is ours. */
export const IN_TIME: ServiceClock = { isClockKnown: true, serviceTime: (moment) => moment };

/** Searches for the job of a submission of an earlier process, or of a lost answer. */
export const searchesOn = (service: ListService) => ({
	findEarlier: async (more: Partial<RecoveryRequest> = {}): Promise<string | undefined> =>
		(await service.recovery().recoverEarlier(request(more)))?.job_id,
	findLost: async (more: Partial<RecoveryRequest> = {}): Promise<string> =>
		(await service.recovery().recoverUnconfirmed(request(more))).job_id,
});

export async function expectUnconfirmed(search: Promise<Job | string | undefined>): Promise<UnknownOutcomeError> {
	const failure = await failureOf(search);
	expect(failure).toBeInstanceOf(UnknownOutcomeError);
	return failure as UnknownOutcomeError;
}
