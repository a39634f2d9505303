import assert from 'node:assert/strict';

import { type ApiGraph, connect, openServerNews } from '../../../client';
import { unreadable } from '../outcomes';
import type { Call } from '../shapes';
import { assertSucceeded, callOf, cancelCall, endedJobOf, serverCalls, type Speaker, submitCall, templateCalls } from './comfyui';
import { expectsIn, expectsOfEngineSubmit, isPassingIn, type Otherwise, statusOf } from './comfyuiOutcomes';
import { type TellingParts, tellingOfNew, tellingOfPast } from './news';
import { waitCalls } from './waits';

const SOCKET = 'GET /ws';

const speaker = (name: string): Speaker => ({
	name,
	words: 'engine',
	at: 'engine',
	open: (urls, _sandbox, limits) => connect({ interface: 'engine', baseUrl: urls.engine, limits }),
});

/** It keeps the ids that prompts ask for, and has no routes for single jobs. */
const engine = speaker('engine');
const olderEngine = speaker('older engine');
const newerEngine = speaker('newer engine');

/** What runs on an engine would be in the way of others: each cell has one of its own. */
const OWN = { engineConcurrency: 4, progressIntervalMs: 20 };
const OLDER = { ...OWN, enginePromptIds: 'own' } as const;
const NEWER = { ...OWN, engineJobRoutes: true };

const of = callOf.bind(null, engine);
const ended = endedJobOf(engine);

const jobsOf = (one: Speaker): TellingParts => ({
	isDeafForPast: ({ seen }, attempts) => (attempts === 'every' && seen !== 'fine' ? 'the history is what tells of the past' : undefined),
	speaker: one,
	open: ({ urls }) => openServerNews({ baseUrl: urls.engine, engineUrl: '', wanted: 'engine' }, []),
});

/** Newer engines have this route; of older ones the same is read from queue and history. */
const orByHistory: Otherwise = ({ seen }) => {
	const isNoRoute =
		[404, 501].includes(statusOf(seen) ?? 0) || (typeof seen === 'string' && seen !== 'fine' && !isPassingIn('engine', seen));
	return isNoRoute ? { outcome: 'done', because: 'where this route is not there, queue and history are read' } : undefined;
};

/** Jobs of a ComfyUI of one's own: as it is, older, and newer. */
export const engineCalls: readonly Call[] = [
	of('credential check', { wire: 'json', on: 'GET /api/system_stats', persists: 'never' }, async (connection) => {
		assert.equal((await connection.verifyAccess()).version, '0.3.64');
	}),
	of('get', { wire: 'json', on: 'GET /api/history/*' }, async ({ jobs }, door) => {
		assertSucceeded(await jobs.get((await ended(door)).job_id));
	}),
	callOf(
		newerEngine,
		'get',
		{ wire: 'json', on: 'GET /api/jobs/*', sandbox: NEWER, expects: expectsIn('engine', orByHistory) },
		async ({ jobs }, door) => {
			assertSucceeded(await jobs.get((await endedJobOf(newerEngine)(door)).job_id));
		},
	),
	of('list', { wire: 'json', on: 'GET /api/history' }, async ({ jobs }, door) => {
		await ended(door);
		assert.ok((await jobs.list()).jobs.length > 0);
	}),
	cancelCall(engine, {
		wire: 'bare',
		on: 'POST /api/interrupt',
		sandbox: OWN,
		// A fault of connections meets the look at the queue, which comes before.
		expects: (fault, attempts, call) =>
			expectsIn('engine')(fault, attempts, { ...call, persists: fault.connecting === undefined ? 'unheard' : 'passing' }),
	}),
	...serverCalls(engine),
	of('workflow', { wire: 'json', on: 'GET /api/history/*', tooDeep: unreadable('not_json') }, async ({ jobs }, door) => {
		const { workflow } = await jobs.workflow((await ended(door)).job_id);
		assert.equal((workflow as ApiGraph)['1']?.class_type, 'EmptyImage');
	}),
	...templateCalls(engine),
	submitCall(engine, { sandbox: OWN, expects: expectsOfEngineSubmit }),
	submitCall(olderEngine, { sandbox: OLDER, expects: expectsOfEngineSubmit }),
	...waitCalls(engine, { wire: 'socket', on: SOCKET, sandbox: OWN }),
	tellingOfNew(jobsOf(engine), { name: 'engine news', wire: 'socket', on: SOCKET, at: 'engine', sandbox: OWN }),
	tellingOfPast(jobsOf(engine), { name: 'engine news of the past', wire: 'json', on: 'GET /api/history', at: 'engine', sandbox: OWN }),
];
