/** The account's jobs, over the interface before v2. */
import assert from 'node:assert/strict';

import { connect, openServiceEvents } from '../../../client';
import { DONE, statusOf } from '../outcomes';
import type { Call, Expects, Fault, Outcome, Seen } from '../shapes';
import {
	cancelCall,
	commonCalls,
	downloadCall,
	getCall,
	listCall,
	ofKeylessSubmit,
	ofRemoval,
	serverCalls,
	submitCall,
	workflowCall,
} from './comfyui';
import { MAKES_OUTPUTS_UP, OUTPUT_OF_NOBODY, waitCalls, watchCalls } from './live';
import { assertSucceeded, callOf, speakerOf } from './speakers';
import { downloadEnds } from './web';

const SOCKET = 'GET /ws';
/** The socket brings the frames of the whole account: each cell has its own. */
const OF_ONE_CELL = { progressIntervalMs: 20 };

const v1 = speakerOf({
	name: 'v1',
	words: 'v1',
	at: 'hosted',
	open: (urls, { keys }, limits) => connect({ interface: 'v1', baseUrl: urls.hosted, token: keys.apiKey, limits }),
});

/** A service may not have this route. */
const isMissing = (seen: Seen): boolean => [404, 501].includes(statusOf(seen) ?? 0);
const isOwn404 = (seen: Seen): boolean => typeof seen === 'object' && seen.status === 404 && !seen.page;
/** Its own words say that it lists no jobs; a page is a gateway's. */
const listsNone = (seen: Seen): boolean => isOwn404(seen) || statusOf(seen) === 501;
const whereMissing =
	(outcome: Outcome): Expects =>
	({ seen }) =>
		isMissing(seen) ? { outcome, because: 'a service may not have this route' } : undefined;

const NO_OUTPUTS = 'outputs unavailable';

/** Frames of this account's jobs do not come, while everything else does. */
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

export const v1Calls: readonly Call[] = [
	callOf(
		v1,
		'credential check',
		'GET /api/queue',
		{
			persists: 'never',
			expects: ({ seen }) =>
				isOwn404(seen) ? { outcome: 'unreadable unexpected 404', because: 'a server without a queue is another product' } : undefined,
		},
		async (connection) => void (await connection.verifyAccess()),
	),
	submitCall(v1, 'submit', 'POST /api/prompt', { repeatable: false, persists: 'unheard', sandbox: {}, expects: ofKeylessSubmit(false) }),
	getCall(v1, 'status', 'GET /api/job/*/status'),
	callOf(v1, 'get', 'GET /api/jobs/*', { expects: whereMissing(NO_OUTPUTS) }, async ({ jobs }, context) => {
		const job = await jobs.get((await v1.ended(context)).job_id);
		assert.equal(job.status, 'succeeded');
		if (job.outputs_unavailable) return NO_OUTPUTS;
		assertSucceeded(job);
	}),
	listCall(v1, 'GET /api/jobs', {
		expects: ({ seen }) =>
			listsNone(seen) ? { outcome: `api ${statusOf(seen)} not_implemented`, because: 'a service may not have this route' } : undefined,
	}),
	cancelCall(v1, 'POST /api/queue', { expects: ofRemoval }),
	...serverCalls(v1),
	workflowCall(v1, 'GET /api/jobs/*', whereMissing('api 501 not_implemented')),
	downloadCall(v1, 'download from storage', 'GET /blobs/*', {
		wire: 'file',
		at: 'storage',
		// Storage has no codes of v1.
		words: undefined,
		expects: (fault, attempts) => downloadEnds(fault, attempts, true, false),
	}),
	...commonCalls(v1),
	...waitCalls(v1, SOCKET, OF_ONE_CELL),
	...watchCalls(v1, 'account', {
		open: ({ urls, sandbox }) =>
			openServiceEvents({ source: 'hostedAccount', baseUrl: urls.hosted, token: sandbox.keys.apiKey, jobIds: [], needsPercent: true }),
		isReady: ({ sandbox }) => sandbox.requests('GET /api/jobs').some(({ finished }) => finished),
		isDeafForNew: (fault, attempts) => {
			if (neverOpens(fault) && attempts === 'every') return 'an account is followed over its socket alone';
			return WITHOUT_NEWS.has(fault.name) ? 'a healthy socket is trusted' : undefined;
		},
		isDeafForPast: ({ seen }, attempts) =>
			listsNone(seen) || (attempts === 'every' && seen !== 'fine') ? 'only the list reports what was missed' : undefined,
		reportsOf: ({ name }) => (name === MAKES_OUTPUTS_UP ? OUTPUT_OF_NOBODY : DONE),
		past: 'GET /api/jobs',
		sandbox: OF_ONE_CELL,
	}),
];
