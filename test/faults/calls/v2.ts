/** Jobs, files and waits over v2. */
import assert from 'node:assert/strict';

import { type ApiGraph, type AssetRecords, connect, contentHash, type UploadSource, waitForJob, type WaitOptions } from '../../../client';
import { chunksOf } from '../../client/support/bytes';
import { slowGraph } from '../../client/support/graphs';
import { DONE, failureOf, isGateway404, isPassing, statusOf, unreadable } from '../outcomes';
import type { Call, CallContext, Expects } from '../shapes';
import { downloadCall, getCall, listCall, submitCall, workflowCall } from './comfyui';
import { beside, callOf, type CallParts, colorOf, graphOf, paidJobs, type Speaker, speakerOf } from './speakers';
import { downloadEnds } from './web';

/** As the nodes connect with the credential Comfy API; files may be silent only as long as other answers. */
const v2 = (at: 'hosted' | 'deployment'): Speaker =>
	speakerOf({
		name: 'v2',
		at,
		open: (urls, { keys }, limits) =>
			connect({
				interface: 'v2',
				baseUrl: urls[at],
				token: keys.apiKey,
				hostedUrl: urls.hosted,
				limits: { uploadIdleMs: 20_000, downloadIdleMs: 20_000, ...limits },
			}),
	});

export const hosted = v2('hosted');
const deployment = v2('deployment');

/** Runs until it is canceled, without using CPU. */
const ENDLESS: ApiGraph = {
	'1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 1 } },
	'2': { class_type: 'SandboxGate', inputs: { image: ['1', 0] } },
	'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'never' } },
};

/** Its good answer is a 404: a job that cannot exist is not found, so the key is good. */
const ofCheck: Expects = ({ seen, family }) => {
	if (typeof seen === 'object') {
		if (seen.status !== 404 || seen.page) return undefined;
		return {
			outcome: seen.code === undefined ? unreadable('unexpected', 404) : DONE,
			because: 'only the service itself says so in its own words',
		};
	}
	const reason = { cut: 'truncated', half: 'truncated', broken: 'unexpected', 'no json': 'unexpected', other: 'unexpected' }[String(seen)];
	if (reason === undefined) return undefined;
	return { outcome: unreadable(reason, family === 'body' ? 200 : 404), because: 'it is sent once, and its good answer is a 404' };
};

const jobCalls: readonly Call[] = [
	getCall(hosted, 'get, hosted', 'GET /api/v2/jobs/*'),
	submitCall(deployment, 'submit, deployment', 'POST /api/v2/jobs', { persists: 'submission', sandbox: {} }),
	callOf(hosted, 'credential check', 'GET /api/v2/jobs/*', { persists: 'never', expects: ofCheck }, async (connection) => {
		assert.equal((await connection.verifyAccess()).interface, 'v2');
	}),
	submitCall(deployment, 'submit without a key', 'POST /api/v2/jobs', { repeatable: false, persists: 'submission' }, false),
	callOf(
		deployment,
		'look-up of a lost job',
		'GET /api/v2/jobs',
		{
			sandbox: {},
			billed: paidJobs,
			expects: ({ seen }, attempts) =>
				failureOf(seen, { wire: 'json', on: 'GET ' }) !== undefined && (attempts === 'every' || !isPassing(seen))
					? { outcome: 'unknown outcome', because: 'there is a job, and the service does not say which' }
					: undefined,
		},
		async ({ jobs }, context) => {
			const submission = { graph: graphOf(context) };
			const options = { idempotencyKey: context.mark, submissionId: 'lost' };
			const made = await beside(deployment, context, async (connection) => await connection.jobs.submit(submission, options));
			assert.equal((await jobs.submit(submission, { ...options, earlier: { answerLost: true } })).job_id, made.job_id);
		},
	),
	listCall(deployment, 'GET /api/v2/jobs'),
	workflowCall(hosted, 'GET /api/v2/jobs/*/workflow'),
	callOf(hosted, 'cancel', 'POST /api/v2/jobs/*/cancel', {}, async ({ jobs }, context) => {
		const { job_id } = await beside(hosted, context, async (connection) => await connection.jobs.submit({ graph: ENDLESS }));
		try {
			assert.ok(['canceling', 'canceled'].includes((await jobs.cancel(job_id)).status));
		} finally {
			await beside(hosted, context, async (connection) => await connection.jobs.cancel(job_id));
		}
	}),
];

const SIZE = 150_000;

/** A file that no other cell has. */
const bytesOf = ({ mark }: CallContext): Buffer => Buffer.alloc(SIZE, `${mark} `);

const sourceOf = (context: CallContext, sizeBytes?: number): UploadSource => ({
	open: () => chunksOf(bytesOf(context).subarray(0, SIZE / 2), bytesOf(context).subarray(SIZE / 2)),
	contentType: 'application/octet-stream',
	sizeBytes,
});

const hashOf = async (context: CallContext): Promise<string> => await contentHash(chunksOf(bytesOf(context)));

const upload = (name: string, sizeBytes?: number): Call =>
	callOf(hosted, name, 'POST /api/v2/assets', { wire: 'upload' }, async ({ assets }, context) => {
		const { asset } = await assets.upload(sourceOf(context, sizeBytes), { filePath: 'sent.bin' });
		assert.equal(asset.size_bytes, SIZE);
		assert.equal(asset.hash, await hashOf(context));
	});

/** A call about a file that was uploaded past the proxy. */
const ofStored = (
	name: string,
	on: string,
	parts: CallParts,
	work: (records: AssetRecords, id: string, context: CallContext) => Promise<void>,
): Call =>
	callOf(hosted, name, on, parts, async ({ assets }, context) => {
		assert.ok(assets.records);
		await work(assets.records, await stored(context), context);
	});

const stored = async (context: CallContext): Promise<string> =>
	await beside(hosted, context, async ({ assets }) => {
		const { asset } = await assets.upload(sourceOf(context, SIZE), { filePath: 'before.bin' });
		assert.ok(asset.id);
		return asset.id;
	});

const fileCalls: readonly Call[] = [
	upload('upload', SIZE),
	upload('upload of unknown length'),
	callOf(
		hosted,
		'upload unless stored',
		'HEAD /api/v2/assets/by-hash/*',
		{
			wire: 'bare',
			expects: ({ seen }) =>
				statusOf(seen) === 404 ? { outcome: 'sent again', because: 'the service says that it does not have the file' } : undefined,
		},
		async ({ assets }, context) => {
			await stored(context);
			const { asset, bytesSent } = await assets.upload(sourceOf(context, SIZE), { filePath: 'again.bin', skipIfStored: true });
			assert.equal(asset.size_bytes, SIZE);
			return bytesSent === 0 ? undefined : 'sent again';
		},
	),
	ofStored('asset by hash', 'POST /api/v2/assets/from-hash', {}, async (records, _id, context) => {
		const hash = await hashOf(context);
		assert.equal((await records.fromHash(hash, { filePath: 'same.bin' })).hash, hash);
	}),
	ofStored('asset', 'GET /api/v2/assets/*', {}, async (records, id) => assert.equal((await records.get(id)).id, id)),
	ofStored(
		'delete of an asset',
		'DELETE /api/v2/assets/*',
		{
			wire: 'bare',
			repeatable: false,
			persists: 'unheard',
			expects: ({ name }) =>
				name === 'double delivery, second answer told'
					? { outcome: 'api 404 not_found', because: 'the second delivery finds nothing to delete, and says so' }
					: undefined,
		},
		async (records, id) => await records.delete(id),
	),
	downloadCall(hosted, 'download by the content route', 'GET /api/v2/assets/*/content', {
		wire: 'bare',
		sandbox: { assetUrls: 'content' },
		expects: ({ seen }, attempts) =>
			[403, 404].includes(statusOf(seen) ?? 0) && attempts === 'first'
				? { outcome: DONE, because: 'a fresh link is requested' }
				: undefined,
	}),
	downloadCall(hosted, 'download from storage', 'GET /blobs/*', {
		wire: 'file',
		at: 'storage',
		expects: (fault, attempts) => downloadEnds(fault, attempts, true, true),
	}),
];

/** On the client's clock. */
const MAX_WAIT_MS = 100_000;

/** @param isKnown the job as its submission answered is at hand. */
const wait = (name: string, speaker: Speaker, mode: WaitOptions['mode'], isKnown: boolean): Call => {
	const on = 'GET /api/v2/jobs/*';
	const isTrouble: Expects = ({ seen }, attempts) => {
		const failure = failureOf(seen, { wire: 'json', on });
		const isOfGateway = isGateway404(seen) || failure === unreadable('html') || failure === unreadable('not_json');
		if (!isKnown || failure === undefined || !(isOfGateway || isPassing(seen))) return undefined;
		return attempts === 'every'
			? { outcome: 'still running', because: 'a passing failure fails no wait; the job is not known to have ended' }
			: { outcome: DONE, because: 'the service has reported the job before, and the next read brings it' };
	};
	return callOf(speaker, name, on, { expects: isTrouble }, async ({ jobs }, context) => {
		const graph = slowGraph(3, 20, colorOf(context.mark));
		const submitted = await beside(speaker, context, async (connection) => await connection.jobs.submit({ graph }));
		// Its links lead past the proxy.
		const known = isKnown ? { submitted: { ...submitted, urls: { ...submitted.urls, events: null, cancel: null } } } : {};
		const { job, finished } = await waitForJob(jobs, submitted.job_id, { mode, maxWaitMs: MAX_WAIT_MS, ...known });
		if (!finished) return 'still running';
		assert.equal(job.status, 'succeeded');
	});
};

export const v2Calls: readonly Call[] = [
	...jobCalls,
	...fileCalls,
	wait('wait by polling', hosted, 'polling', false),
	wait('wait live, by its reads', hosted, 'live', false),
	wait('wait live for a known job', deployment, 'live', true),
	callOf(
		hosted,
		'wait live, by its events',
		'GET /api/v2/jobs/*/events',
		{
			wire: 'events',
			sandbox: { gateOpen: false },
			expects: () => ({ outcome: DONE, because: 'reads replace the stream, whatever happens to it' }),
		},
		async ({ jobs }, context) => {
			const { job_id } = await beside(hosted, context, async (connection) => await connection.jobs.submit({ graph: ENDLESS }));
			// It ends once it was seen running: its stream is opened then.
			const onRead = () => context.sandbox.configure({ gateOpen: true });
			const { job } = await waitForJob(jobs, job_id, { mode: 'live', maxWaitMs: MAX_WAIT_MS, onRead });
			assert.equal(job.status, 'succeeded');
		},
	),
];
