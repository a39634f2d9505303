/** `GET /jobs`: newest first. The surfaces list jobs in different ways. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal, type Traits, unreadable } from '../service/traits';
import { requireEngine, type Service } from '../service/service';
import type { Behaviour } from '../behaviour';
import type { AccountName } from '../vocabulary';
import type { Job } from '../service/job';
import { isRecord } from '../json';
import { linksFor, presentJob, presentListItem } from './present';

const DEFAULT_LIMIT = 50;
const HIGHEST_LIMIT = 100;
/** The proxy reads at most so many jobs for one list. Only then is the list `truncated`, not when it is full. */
const MOST_LOOKED_AT = 500;

type Query = Record<string, string | string[]>;

export function listRoute(app: FastifyInstance, service: Service): void {
	app.get<{ Querystring: Query }>('/jobs', (request) => {
		requireEngine(service);
		switch (service.traits.list) {
			case 'not_implemented':
				throw new Refusal({ status: 501, code: 'not_implemented', message: 'This surface does not list jobs' });
			case 'pages':
				return listPage(service, request.account, request.query);
			case 'newest':
				return listNewest(service, request, request.query);
		}
	});
}

function listPage(service: Service, account: AccountName, query: Query): Record<string, unknown> {
	const filters = service.behaviour.labels === 'ignored' ? {} : readFilters(query);
	const all = newestFirst(service, account).filter(({ metadata }) =>
		Object.entries(filters).every(([label, value]) => typeof metadata === 'object' && metadata?.[label] === value),
	);
	const limit = readLimit(query.limit, service.traits);
	const from = query.cursor === undefined ? 0 : all.findIndex(({ id }) => cursorAt(id) === query.cursor);
	if (from < 0) throw new Refusal({ status: 400, code: 'invalid_cursor', message: 'cursor is not one of ours' });
	const next = all[from + limit];
	return {
		jobs: all.slice(from, from + limit).map((job) => inList(presentListItem(job), service)),
		...(next === undefined ? LAST_CURSORS[service.behaviour.lastCursor] : { next_cursor: cursorAt(next.id) }),
	};
}

const LAST_CURSORS: Record<Behaviour['lastCursor'], object> = { absent: {}, null: { next_cursor: null }, empty: { next_cursor: '' } };

const isTime = (name: string): boolean => /_(at|time)$/.test(name);

const inList = (item: Record<string, unknown>, { behaviour }: Service): Record<string, unknown> =>
	behaviour.listTimes === 'told' ? item : Object.fromEntries(Object.entries(item).filter(([name]) => !isTime(name)));

/** Opaque to callers. It contains the first job of the next page. */
const cursorAt = (jobId: string): string => Buffer.from(jobId).toString('base64url');

const STATUSES = ['queued', 'running', 'succeeded', 'canceling', 'canceled', 'failed', 'expired'];

function listNewest(service: Service, request: FastifyRequest, query: Query): Record<string, unknown> {
	const wanted = typeof query.status === 'string' ? query.status.split(',') : undefined;
	const unknown = wanted?.find((word) => !STATUSES.includes(word));
	if (unknown !== undefined) throw unreadable(service.traits, `Unknown status ${unknown}`);
	const all = newestFirst(service, request.account);
	const limit = readLimit(query.limit, service.traits);
	const found = all.slice(0, MOST_LOOKED_AT).filter(({ status }) => wanted?.includes(status) ?? true);
	const links = linksFor(service, request);
	const jobs = found.slice(0, limit).map((job) => inList(presentJob(job, service, links), service));
	return { jobs, truncated: jobs.length < limit && all.length > MOST_LOOKED_AT };
}

function readLimit(text: string | string[] | undefined, traits: Traits): number {
	const limit = text === undefined ? DEFAULT_LIMIT : Number(text);
	if (!Number.isInteger(limit) || limit < 1 || limit > HIGHEST_LIMIT) throw unreadable(traits, `limit must be 1 to ${HIGHEST_LIMIT}`);
	return limit;
}

const newestFirst = ({ jobs }: Service, account: AccountName): Job[] =>
	[...jobs.values()].reverse().filter((job) => job.account === account && job.expiresAt > Date.now());

export type Labels = Record<string, string>;

const MOST_LABELS = 16;
const LONGEST_VALUE_BYTES = 256;
const KEY = /^[A-Za-z0-9_.-]{1,40}$/;
/** Control characters, and those that change the direction of text. */
const FORBIDDEN_CHARACTERS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

const isValue = (value: unknown): value is string =>
	typeof value === 'string' && Buffer.byteLength(value) <= LONGEST_VALUE_BYTES && !FORBIDDEN_CHARACTERS.test(value);

/** @throws Refusal `metadata_invalid`. */
export function readLabels(metadata: unknown): Labels {
	const refuse = (message: string): never => {
		throw new Refusal({ status: 422, code: 'metadata_invalid', message });
	};
	if (!isRecord(metadata)) return refuse('metadata must map strings to strings');
	const pairs = Object.entries(metadata);
	if (pairs.length > MOST_LABELS) return refuse(`metadata has ${pairs.length} pairs, and may have ${MOST_LABELS}`);
	const odd = pairs.find(([key, value]) => !KEY.test(key) || !isValue(value));
	return odd === undefined ? (metadata as Labels) : refuse(`metadata.${odd[0]} is no label`);
}

/** `metadata[<key>]=<value>` of a query. */
const readFilters = (query: Query): Labels =>
	Object.fromEntries(
		Object.entries(query).flatMap(([name, value]) => {
			const key = /^metadata\[(.*)\]$/.exec(name)?.[1];
			return key === undefined ? [] : [[key, String(value)]];
		}),
	);
