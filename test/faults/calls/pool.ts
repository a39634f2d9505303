/** Jobs of several ComfyUIs behind one connection. Faults meet the first one; the others have no faults. */
import assert from 'node:assert/strict';

import { connect, openPool, waitForJob } from '../../../client';
import { picture, pngSource } from '../../client/support/pictures';
import { membersOf } from '../../support/sandboxPool';
import { DONE, failureOf, isPassing, statusOf } from '../outcomes';
import type { Call, CallContext, Expects, Fault } from '../shapes';
import { getCall, ofKeylessSubmit, submitCall } from './comfyui';
import {
	assertSucceeded,
	callOf,
	type CallParts,
	colorOf,
	graphOf,
	LONGEST_WAIT_MS,
	paidJobs,
	PATIENT,
	type Speaker,
	speakerOf,
} from './speakers';

export const POOL_SERVERS = 3;

const pool: Speaker = speakerOf({
	name: 'pool',
	words: 'engine',
	at: 'engine',
	open: ({ engine: first }, sandbox, limits) => {
		const others = membersOf(sandbox)
			.slice(1)
			.map(({ urls }) => urls.engine);
		return openPool({ servers: [first, ...others].map((baseUrl) => ({ baseUrl, engineUrl: '', wanted: 'engine', limits })) });
	},
});

const OWN = { servers: POOL_SERVERS, sandbox: { engineConcurrency: 4, progressIntervalMs: 20 } };

/** Reads of a pool are those of its servers, whose faults are tested there. Here one of each kind is enough. */
export const meetsPool = ({ name }: Fault, call: Call): boolean => call === submit || ONE_OF_EACH_KIND.has(name);

const ONE_OF_EACH_KIND = new Set([
	'connection refused',
	'accepted, then silent',
	'reset after the request, delivered',
	'silence, delivered',
	'answer cut in the middle of its body',
	'401 in the service’s words',
	'404 in the service’s words',
	'429, Retry-After of 1 second',
	'500 in the service’s words',
	'501 in the service’s words',
	'503 in the service’s words',
	'502 as a page',
	'web page',
	'half JSON',
	'JSON: null',
]);

const elsewhere: Expects = () => ({ outcome: DONE, because: 'another server answers' });

/** The fault meets the prompt, which the first server gets because all are equally free. */
const ofSubmit: Expects = (fault, attempts, call) => {
	const status = statusOf(fault.seen);
	const isRefused = status !== undefined && (status < 500 || status === 501);
	return fault.connecting !== undefined || fault.seen === 'refused' || isRefused
		? elsewhere(fault, attempts, call)
		: ofKeylessSubmit(true)(fault, attempts, call);
};

const submit = submitCall(pool, 'submit', 'POST /api/prompt', { ...OWN, repeatable: false, persists: 'unheard', expects: ofSubmit });

/** A job that was sent to one of the servers, under the key of the cell. */
async function submitTo(server: number, context: CallContext): Promise<string> {
	const baseUrl = membersOf(context.sandbox)[server]?.urls.engine ?? '';
	const connection = connect({ interface: 'engine', baseUrl, limits: PATIENT });
	try {
		const { job_id } = await connection.jobs.submit({ graph: graphOf(context) }, { idempotencyKey: context.mark, keyIsOurs: true });
		await waitForJob(connection.jobs, job_id, { mode: 'polling', maxWaitMs: LONGEST_WAIT_MS });
		return job_id;
	} finally {
		await connection.close();
	}
}

const isFailure = ({ seen }: Fault): boolean => failureOf(seen, { words: 'engine', wire: 'json', on: 'GET ' }) !== undefined;

/** A silent server is not waited for: the pool reports it, and reads again later. */
const ofRead: Expects = ({ seen }) =>
	seen === 'silent' ? { outcome: 'connection timeout', because: 'a server of a pool is tried for two seconds' } : undefined;

/** As long as a server that may have the job does not answer, nothing is sent. One silent read takes the whole time of the pool. */
const ofLookUp: Expects = (fault, attempts) =>
	isFailure(fault) && (attempts === 'every' || !isPassing(fault.seen) || fault.seen === 'silent')
		? { outcome: 'unknown outcome', because: 'this server may have the job' }
		: undefined;

const lookUp = (name: string, server: number, parts: CallParts): Call =>
	callOf(pool, name, 'GET /api/history/*', { ...OWN, billed: paidJobs, ...parts }, async ({ jobs }, context) => {
		const jobId = await submitTo(server, context);
		const earlier = { answerLost: true, firstSentAt: Date.now() };
		const found = await jobs.submit({ graph: graphOf(context) }, { idempotencyKey: context.mark, keyIsOurs: true, earlier });
		assert.equal(found.job_id, jobId);
	});

const submits: CallParts = { ...OWN, billed: paidJobs, expects: elsewhere };

export const poolCalls: readonly Call[] = [
	submit,
	submitCall(pool, 'submission, by its definitions', 'GET /api/object_info/*', submits),
	submitCall(pool, 'submission, by its queue lengths', 'GET /api/prompt', submits),
	getCall(pool, 'get', 'GET /api/history/*', { ...OWN, expects: ofRead }),
	callOf(pool, 'get of a job elsewhere', 'GET /api/history/*', { ...OWN, expects: elsewhere }, async ({ jobs }, context) =>
		assertSucceeded(await jobs.get(await submitTo(1, context))),
	),
	callOf(pool, 'list', 'GET /api/history', { ...OWN, expects: elsewhere }, async ({ jobs }, context) => {
		await submitTo(1, context);
		assert.notEqual((await jobs.list({ limit: 3 })).jobs.length, 0);
	}),
	lookUp('look-up of a lost job', 0, { expects: ofLookUp }),
	lookUp('look-up of a lost job elsewhere', 1, { expects: elsewhere }),
	callOf(
		pool,
		'look-up of a job that n8n has lost, and that does not exist',
		'GET /api/history',
		{ ...OWN, billed: paidJobs, expects: ofLookUp },
		async ({ jobs }, context) => {
			const earlier = { lostRecord: { since: Date.now() - 60_000 } };
			await jobs.submit({ graph: graphOf(context) }, { idempotencyKey: context.mark, keyIsOurs: true, earlier });
		},
	),
	callOf(pool, 'upload', 'POST /api/upload/image', { ...OWN, wire: 'upload', expects: elsewhere }, async ({ assets }, { mark }) => {
		const { asset } = await assets.upload(pngSource(await picture(colorOf(mark))), { filePath: `${mark}.png` });
		assert.equal(asset.name, `${mark}.png`);
	}),
];
