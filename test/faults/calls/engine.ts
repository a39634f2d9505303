/** Jobs of one's own ComfyUI: as it is, older, and newer. */
import assert from 'node:assert/strict';

import { connect, openServerEvents } from '../../../client';
import { DONE, isPassing, statusOf } from '../outcomes';
import type { Call } from '../shapes';
import {
	cancelCall,
	getCall,
	listCall,
	ofKeylessSubmit,
	ofReadBefore,
	serverCalls,
	submitCall,
	templateCalls,
	workflowCall,
} from './comfyui';
import { waitCalls, watchCalls } from './live';
import { callOf, type CallParts, type Speaker, speakerOf } from './speakers';

const SOCKET = 'GET /ws';

const engineOf = (name: string): Speaker =>
	speakerOf({
		name,
		words: 'engine',
		at: 'engine',
		open: (urls, _sandbox, limits) => connect({ interface: 'engine', baseUrl: urls.engine, limits }),
	});

/** It keeps the ids that prompts ask for, and has no routes for single jobs. */
const engine = engineOf('engine');

/** Jobs of other cells would disturb on an engine: each cell has its own. */
const OWN = { engineConcurrency: 4, progressIntervalMs: 20 };

const newer = engineOf('newer engine');
/** A route that only newer engines have. Queue and history replace it if it is missing or fails inside. */
const OF_ROUTE: CallParts = {
	sandbox: { ...OWN, engineJobRoutes: true },
	expects: ({ seen }) =>
		[404, 405, 500, 501].includes(statusOf(seen) ?? 0) || (typeof seen === 'string' && seen !== 'fine' && !isPassing(seen))
			? { outcome: DONE, because: 'without this route, queue and history are used' }
			: undefined,
};

const submit = (speaker: Speaker, more: Call['sandbox'] = {}): Call =>
	submitCall(speaker, 'submit', 'POST /api/prompt', {
		repeatable: false,
		persists: 'unheard',
		sandbox: { ...OWN, ...more },
		expects: ofKeylessSubmit(true),
	});

export const engineCalls: readonly Call[] = [
	callOf(engine, 'credential check', 'GET /api/system_stats', { persists: 'never' }, async (connection) => {
		assert.equal((await connection.verifyAccess()).version, '0.3.64');
	}),
	getCall(engine, 'get', 'GET /api/history/*'),
	getCall(newer, 'get', 'GET /api/jobs/*', OF_ROUTE),
	listCall(engine, 'GET /api/history'),
	listCall(newer, 'GET /api/jobs', OF_ROUTE),
	cancelCall(newer, 'POST /api/jobs/*/cancel', OF_ROUTE),
	cancelCall(engine, 'POST /api/interrupt', { wire: 'bare', sandbox: OWN, persists: 'unheard', expects: ofReadBefore }),
	...serverCalls(engine),
	workflowCall(engine, 'GET /api/history/*'),
	...templateCalls(engine),
	submit(engine),
	submit(engineOf('older engine'), { enginePromptIds: 'own' }),
	...waitCalls(engine, SOCKET, OWN),
	...watchCalls(engine, 'engine', {
		open: ({ urls }) => openServerEvents({ baseUrl: urls.engine, engineUrl: '', wanted: 'engine' }, []),
		isDeafForPast: ({ seen }, attempts) => (attempts === 'every' && seen !== 'fine' ? 'the history reports the past' : undefined),
		past: 'GET /api/history',
		sandbox: OWN,
	}),
];
