/** Calls that several interfaces know. */
import assert from 'node:assert/strict';

import { type ApiGraph, assetMasks, cancelAndConfirm, type Connection, type ServerControl } from '../../../client';
import { collect } from '../../client/support/bytes';
import { picture, pngSource } from '../../client/support/pictures';
import { until } from '../../support/until';
import { DONE, statusOf } from '../outcomes';
import type { Call, CallContext, Expects, Outcome, Seen } from '../shapes';
import { assertSucceeded, beside, callOf, type CallParts, colorOf, endlessGraphOf, graphOf, paidJobs, type Speaker } from './speakers';
import { downloadEnds } from './web';

const LONGEST_REAL_MS = 60_000;

export const submitCall = (speaker: Speaker, name: string, on: string, parts: CallParts, isKeyed = true): Call =>
	callOf(speaker, name, on, { billed: paidJobs, ...parts }, async ({ jobs }, context) => {
		const { mark, sandbox } = context;
		const { job_id } = await jobs.submit({ graph: graphOf(context) }, isKeyed ? { idempotencyKey: mark, keyIsOurs: true } : {});
		const job = sandbox.job(job_id);
		assert.notEqual(job, undefined);
		if (isKeyed && speaker.words === undefined) assert.equal(job?.idempotencyKey, mark);
	});

export const getCall = (speaker: Speaker, name: string, on: string, parts: CallParts = {}): Call =>
	callOf(speaker, name, on, parts, async ({ jobs }, context) => assertSucceeded(await jobs.get((await speaker.ended(context)).job_id)));

export const listCall = (speaker: Speaker, on: string, parts: CallParts = {}): Call =>
	callOf(speaker, 'list', on, parts, async ({ jobs }, context) => {
		await speaker.ended(context);
		assert.notEqual((await jobs.list({ limit: 3 })).jobs.length, 0);
	});

export const workflowCall = (speaker: Speaker, on: string, expects?: Expects): Call =>
	callOf(speaker, 'workflow', on, { expects }, async ({ jobs }, context) => {
		const { workflow } = await jobs.workflow((await speaker.ended(context)).job_id);
		assert.equal((workflow as ApiGraph)['1']?.class_type, 'EmptyImage');
	});

export const cancelCall = (speaker: Speaker, on: string, parts: CallParts): Call =>
	callOf(speaker, 'cancel', on, { sandbox: {}, ...parts }, async ({ jobs }, context) => {
		const { job_id } = await beside(
			speaker,
			context,
			async (connection) => await connection.jobs.submit({ graph: endlessGraphOf(context) }),
		);
		await until(() => context.sandbox.job(job_id)?.status === 'running', LONGEST_REAL_MS);
		const { job } = await cancelAndConfirm(jobs, job_id);
		assert.equal(job.status, 'canceled');
	});

/** Of the first output, a picture. v2 announces its size and hash, and takes a fresh link. */
export const downloadCall = (speaker: Speaker, name: string, on: string, parts: CallParts): Call =>
	callOf(speaker, name, on, parts, async ({ assets, jobs }, context) => {
		const { job_id } = await speaker.ended(context);
		const linked = async () => {
			const [output] = (await jobs.get(job_id)).outputs;
			assert.ok(output?.url);
			return { ...output, url: output.url };
		};
		const { url, size_bytes: sizeBytes, hash } = await linked();
		const announced = speaker.words === undefined && { sizeBytes, hash, freshUrl: async () => (await linked()).url };
		const { bytes } = await assets.download({ url, contentType: 'image/png', ...announced });
		const file = await collect(bytes);
		assert.equal(file.toString('latin1', 1, 4), 'PNG');
		if (announced) assert.equal(file.length, sizeBytes);
	});

/** Answers of a server that keeps no workflows. */
const isNoLibrary = (seen: Seen): boolean => seen === 'page' || [403, 404, 501].includes(statusOf(seen) ?? 0);

const NO_FILE_OF_JSON: Outcome = 'threw GraphError: Unusable workflow: not_json';

const OF_FILE: Partial<Record<string, Outcome>> = {
	half: NO_FILE_OF_JSON,
	'no json': NO_FILE_OF_JSON,
	other: 'threw GraphError: Unusable workflow: not_a_graph',
};

/** A user may have broken the file, and it may exist under its path in another spelling. */
const ofFile: Expects = ({ seen, name }, attempts) => {
	if (statusOf(seen) === 404)
		return attempts === 'first'
			? { outcome: DONE, because: 'it is requested once more, with the other spelling of its path' }
			: { outcome: 'api 404 workflow_not_found', because: 'it exists under neither spelling of its path' };
	if (seen === 'cut' && attempts === 'every')
		return { outcome: name === 'gzip cut short' ? 'unreadable truncated' : 'connection lost', because: 'its early end is reported' };
	const broken = typeof seen === 'string' ? OF_FILE[seen] : undefined;
	return broken === undefined ? undefined : { outcome: broken, because: 'the file is whole, and holds something else' };
};

/** The status of a removal says enough: its body is not needed. */
export const ofRemoval: Expects = ({ seen }) =>
	seen === 'no json' || seen === 'other' ? { outcome: DONE, because: 'its status says enough' } : undefined;

const NOT_THERE: Outcome = 'not in the list';

const ofList: Expects = ({ name, seen }) => {
	if (['JSON: a list', 'JSON: nested 100,000 deep'].includes(name)) return { outcome: NOT_THERE, because: 'a list may be empty' };
	return isNoLibrary(seen) ? { outcome: 'api 501 no_library', because: 'such a server keeps no workflows' } : undefined;
};

/** An engine has no words for a missing file. */
const ofEngineFile: Expects = (fault, attempts) =>
	typeof fault.seen === 'object' && fault.seen.status === 404 && fault.seen.code === undefined && !fault.seen.page
		? { outcome: 'api 404 not_found', because: 'that is how an engine says that a file is missing' }
		: downloadEnds(fault, attempts, false, false);

const ofExpiringLink: Expects = ({ seen }, attempts) =>
	attempts === 'first' && [403, 404, 410].includes(statusOf(seen) ?? 0)
		? { outcome: DONE, because: 'a link that may have expired is replaced once' }
		: undefined;

function controlOf({ control }: Connection): ServerControl {
	assert.ok(control !== undefined && 'queue' in control);
	return control;
}

/** Calls that v1 and engines implement separately. */
export const serverCalls = (speaker: Speaker): Call[] => [
	callOf(speaker, 'queue', 'GET /api/queue', {}, async (connection) => {
		assert.ok(Array.isArray((await controlOf(connection).queue()).pending));
	}),
	callOf(speaker, 'upload', 'POST /api/upload/image', { wire: 'upload' }, async ({ assets }, { mark }) => {
		const bytes = await picture(colorOf(mark));
		const { asset } = await assets.upload(pngSource(bytes), { filePath: `${mark}.png` });
		assert.deepEqual(await collect((await assets.download({ url: String(asset.url) })).bytes), bytes);
	}),
	downloadCall(
		speaker,
		'download',
		'GET /api/view',
		speaker.words === 'v1' ? { wire: 'bare', expects: ofExpiringLink } : { wire: 'file', expects: ofEngineFile },
	),
];

const saveWorkflow = ({ sandbox, mark }: CallContext): string => {
	sandbox.saveWorkflow(`${mark}.json`, { nodes: [], links: [], version: 0.4 }, { surface: 'hosted' });
	return `${mark}.json`;
};

/** What v1 and engines know by the same code: tried over v1. */
export const commonCalls = (v1: Speaker): Call[] => [
	callOf(v1, 'definitions', 'GET /api/object_info', {}, async ({ control }) => {
		assert.ok('SaveImage' in ((await control?.nodeDefinitions()) ?? {}));
	}),
	callOf(
		v1,
		'interrupt',
		'POST /api/interrupt',
		{ wire: 'bare', repeatable: false, persists: 'unheard', sandbox: {} },
		async (connection) => await controlOf(connection).interrupt(),
	),
	callOf(
		v1,
		'removal from the queue',
		'POST /api/queue',
		{ expects: ofRemoval },
		async (connection, { mark }) => void (await controlOf(connection).deleteFromQueue([mark])),
	),
	callOf(v1, 'upload of a mask', 'POST /api/upload/mask', { wire: 'upload' }, async (connection, context) => {
		const { mark } = context;
		const send = async ({ assets }: Connection) =>
			await assets.upload(pngSource(await picture(colorOf(mark))), { filePath: `${mark}.png` });
		const { asset: photo } = await beside(v1, context, send);
		const original = { filename: String(photo.name), subfolder: '', type: 'input' };
		const source = pngSource(await picture(colorOf(`mask of ${mark}`)));
		const { asset } = await assetMasks(connection).upload(source, { filePath: `mask-${mark}.png`, original });
		assert.equal(typeof asset.name, 'string');
	}),
	callOf(v1, 'saved workflows', 'GET /api/userdata', { expects: ofList }, async ({ library }, context) => {
		const path = saveWorkflow(context);
		return ((await library?.list()) ?? []).some((one) => one.path === path) ? undefined : NOT_THERE;
	}),
	callOf(v1, 'saved workflow', 'GET /api/userdata/*', { expects: ofFile }, async ({ library }, context) => {
		assert.deepEqual((await library?.read(saveWorkflow(context)))?.nodes, []);
	}),
];

const TEMPLATE = 'sandbox_plain_colour';

const isUnreadable = (seen: Seen): boolean => typeof seen === 'string' && ['page', 'broken', 'no json', 'other'].includes(seen);

/** Of the web interface at an engine's own address. */
export const templateCalls = (engine: Speaker): Call[] => [
	callOf(
		engine,
		'templates',
		'GET /templates/index.json',
		{
			expects: ({ seen }, attempts) =>
				isUnreadable(seen) || isNoLibrary(seen) || ((seen === 'cut' || seen === 'half') && attempts === 'every')
					? { outcome: NOT_THERE, because: 'a server may have no templates: the list works without them' }
					: undefined,
		},
		async ({ library }) => (((await library?.templates()) ?? []).some(({ name }) => name === TEMPLATE) ? undefined : NOT_THERE),
	),
	callOf(
		engine,
		'template',
		`GET /templates/${TEMPLATE}.json`,
		{
			expects: (fault, attempts, call) =>
				isNoLibrary(fault.seen)
					? { outcome: 'api 404 template_not_found', because: 'such a server has no template of this name' }
					: ofFile(fault, attempts, call),
		},
		async ({ library }) => assert.ok(Array.isArray((await library?.template(TEMPLATE))?.nodes)),
	),
];

/** On engines a fault of connections meets a read that comes before. */
export const ofReadBefore: Expects = ({ connecting }, attempts) =>
	connecting !== undefined && attempts === 'first' ? { outcome: DONE, because: 'the read before is tried again' } : undefined;

/**
 * An attempt without a key is not repeated once it may have made a job.
 * @param isFound an engine is searched for the id that the prompt asked for.
 */
export const ofKeylessSubmit =
	(isFound: boolean): Expects =>
	(fault, attempts, call) => {
		const { seen, delivery, connecting } = fault;
		if (seen === 'fine') return undefined;
		if (isFound && connecting !== undefined) return ofReadBefore(fault, attempts, call);
		const isDoubtful = typeof seen === 'object' ? seen.status >= 500 && seen.status !== 501 : seen !== 'refused';
		if (!isDoubtful) return undefined;
		return isFound && delivery !== 'nothing'
			? { outcome: DONE, because: 'its job is found by the id that it asked for' }
			: { outcome: 'unknown outcome', because: 'it may have been made, and is never sent a second time' };
	};
