import assert from 'node:assert/strict';

import { type ApiGraph, connect, openServiceNews } from '../../../client';
import type { Call, Expectation, Fault } from '../shapes';
import {
	assertSucceeded,
	callOf,
	cancelCall,
	downloaded,
	endedJobOf,
	removalExpects,
	commonCalls,
	serverCalls,
	type Speaker,
	submitCall,
} from './comfyui';
import { expectsIn, expectsOfV1Submit, type Otherwise, statusOf } from './comfyuiOutcomes';
import { type TellingParts, TOLD, tellingOfNew, tellingOfPast } from './news';
import { downloadEnds } from './web';
import { byRules, unreadable } from '../outcomes';
import { BELIEVED, MAKES_OUTPUTS_UP, waitCalls } from './waits';

const SOCKET = 'GET /ws';
/** The whole account's frames come: of one cell at a time. */
const OF_ONE_CELL = { progressIntervalMs: 20 };

const v1: Speaker = {
	name: 'v1',
	words: 'v1',
	at: 'hosted',
	open: (urls, { keys }, limits) => connect({ interface: 'v1', baseUrl: urls.hosted, token: keys.apiKey, limits }),
};

const of = callOf.bind(null, v1);
const ended = endedJobOf(v1);

/** A route that a service may do without. */
const isMissing = (seen: Parameters<typeof statusOf>[0]): boolean => [404, 501].includes(statusOf(seen) ?? 0);
/** Its own words say that it lists none; a page is a gateway's. */
const listsNone = (seen: Parameters<typeof statusOf>[0]): boolean =>
	isMissing(seen) && !(statusOf(seen) === 404 && (seen as { page?: true }).page);
const whereMissing =
	(expected: Expectation): Otherwise =>
	({ seen }) =>
		isMissing(seen) ? expected : undefined;

const NO_WORKFLOW: Expectation = { outcome: 'api 501 not_implemented', because: 'a service may do without this route' };
const NO_OUTPUTS = 'outputs unavailable';

/** Frames of this account's jobs do not come, while all else does. */
const WITHOUT_NEWS = new Set([
	'nothing but the queue',
	'no news at all, while pings are answered',
	'frames without a job',
	'fragments without an end',
	'pings without an end, and nothing else',
]);
/** It counts as connected, however short. */
const OPENS = /right after the upgrade|upgrade, then silence|upgrade answered twice|upgrade in HTTP\/1\.0/;
const neverOpens = ({ family, name }: Fault): boolean => family === 'handshake' && !OPENS.test(name);

const account: TellingParts = {
	isReady: ({ sandbox }) => sandbox.requests('GET /api/jobs').some(({ finished }) => finished),
	isDeafForNew: (fault, attempts) => {
		if (neverOpens(fault) && attempts === 'every') return 'an account is followed over its socket alone';
		return WITHOUT_NEWS.has(fault.name) ? 'a socket that is well is believed' : undefined;
	},
	isDeafForPast: ({ seen }, attempts) => {
		if (listsNone(seen)) return 'a service that lists nothing cannot say what was missed';
		return attempts === 'every' && seen !== 'fine' ? 'the list is what tells of the past' : undefined;
	},
	told: ({ name }) => (name === MAKES_OUTPUTS_UP ? BELIEVED : TOLD),
	speaker: v1,
	open: ({ urls, sandbox }) =>
		openServiceNews({ source: 'hostedAccount', baseUrl: urls.hosted, token: sandbox.keys.apiKey, jobIds: [], needsPercent: true }),
};

/** The account's jobs, over the interface before v2. */
export const v1Calls: readonly Call[] = [
	of(
		'credential check',
		{
			wire: 'json',
			on: 'GET /api/queue',
			persists: 'never',
			expects: expectsIn('v1', ({ seen }) =>
				statusOf(seen) === 404 && !(seen as { page?: true }).page
					? { outcome: 'unreadable unexpected 404', because: 'whoever has no queue is another product' }
					: undefined,
			),
		},
		async (connection) => void (await connection.verifyAccess()),
	),
	submitCall(v1, { expects: expectsOfV1Submit }),
	of('status', { wire: 'json', on: 'GET /api/job/*/status' }, async ({ jobs }, door) => {
		assertSucceeded(await jobs.get((await ended(door)).job_id));
	}),
	of(
		'get',
		{
			wire: 'json',
			on: 'GET /api/jobs/*',
			expects: expectsIn(
				'v1',
				whereMissing({ outcome: NO_OUTPUTS, because: 'a service may do without this route: it is said of the job' }),
			),
		},
		async ({ jobs }, door) => {
			const job = await jobs.get((await ended(door)).job_id);
			assert.equal(job.status, 'succeeded');
			if (job.outputs_unavailable) return NO_OUTPUTS;
			assertSucceeded(job);
			return undefined;
		},
	),
	of(
		'list',
		{
			wire: 'json',
			on: 'GET /api/jobs',
			expects: expectsIn('v1', ({ seen }) =>
				listsNone(seen) ? { outcome: `api ${statusOf(seen)} not_implemented`, because: 'a service may do without this route' } : undefined,
			),
		},
		async ({ jobs }, door) => {
			await ended(door);
			assert.ok((await jobs.list()).jobs.length > 0);
		},
	),
	cancelCall(v1, { wire: 'json', on: 'POST /api/queue', expects: removalExpects('v1') }),
	...serverCalls(v1),
	of(
		'workflow',
		{ wire: 'json', on: 'GET /api/jobs/*', expects: expectsIn('v1', whereMissing(NO_WORKFLOW)), tooDeep: unreadable('not_json') },
		async ({ jobs }, door) => {
			const { workflow } = await jobs.workflow((await ended(door)).job_id);
			assert.equal((workflow as ApiGraph)['1']?.class_type, 'EmptyImage');
		},
	),
	of(
		'download from storage',
		{
			wire: 'file',
			on: 'GET /blobs/*',
			from: 'storage',
			expects: (fault, attempts, call) => downloadEnds(fault, attempts, true, false) ?? byRules(fault, call, attempts),
		},
		async ({ assets, jobs }, door) => await downloaded(assets, (await jobs.get((await ended(door)).job_id)).outputs),
	),
	...commonCalls(v1),
	...waitCalls(v1, { wire: 'socket', on: SOCKET, sandbox: OF_ONE_CELL }),
	tellingOfNew(account, { name: 'account news', wire: 'socket', on: SOCKET, at: 'hosted', sandbox: OF_ONE_CELL }),
	tellingOfPast(account, { name: 'account news of the past', wire: 'json', on: 'GET /api/jobs', at: 'hosted', sandbox: OF_ONE_CELL }),
];
