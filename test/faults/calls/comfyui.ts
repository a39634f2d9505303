import assert from 'node:assert/strict';

import { assetMasks, cancelAndConfirm, type Connection, type ConnectSettings, type Job, waitForJob } from '../../../client';
import type { Sandbox } from '../../../sandbox';
import { collect } from '../../client/support/bytes';
import { quickGraph, slowGraph } from '../../client/support/graphs';
import { picture, pngSource } from '../../client/support/pictures';
import { until } from '../../support/until';
import type { Call, Door, Outcome } from '../shapes';
import { type Expects, expectsIn, type Otherwise, statusOf, type Words } from './comfyuiOutcomes';
import { downloadEnds } from './web';
import { onceForSandbox } from './onceForSandbox';
import { colorOf, paidJobs } from './paid';

/** Whoever speaks ComfyUI's language: v1 and engines take the same calls, by routes that differ here and there. */
export interface Speaker {
	name: string;
	words: Words;
	at: 'hosted' | 'engine';
	open(urls: Sandbox['urls'], sandbox: Sandbox, limits?: ConnectSettings['limits']): Connection;
}

/** Where what is asked is not what is tried: a machine that is busy is no fault. */
export const PATIENT = { requestMs: 30 * 60_000 };

export const LONGEST_WAIT_MS = 30 * 60_000;
const LONGEST_REAL_MS = 60_000;
/** It runs until somebody stops it. */
const endlessGraph = (mark: string) => slowGraph(1_000, 60_000, colorOf(mark));

async function using<T>(connection: Connection, work: (connection: Connection) => Promise<T>): Promise<T> {
	try {
		return await work(connection);
	} finally {
		await connection.close();
	}
}

/** Past the proxy: for what must be there before. */
export const beside = async <T>({ open }: Speaker, { sandbox }: Door, work: (connection: Connection) => Promise<T>): Promise<T> =>
	await using(open(sandbox.urls, sandbox, PATIENT), work);

/** One that has ended, for all cells of a sandbox. */
export const endedJobOf = (speaker: Speaker): ((door: Door) => Promise<Job>) => {
	const once = onceForSandbox(
		async (door: Door) =>
			await beside(speaker, door, async ({ jobs }) => {
				const { job_id } = await jobs.submit({ graph: quickGraph(colorOf(door.mark)) });
				return (await waitForJob(jobs, job_id, { mode: 'polling', maxWaitMs: LONGEST_WAIT_MS })).job;
			}),
	);
	return async (door) => await once(door, speaker.name);
};

/** One that runs until somebody stops it. */
export const runningJob = async (speaker: Speaker, door: Door): Promise<Job> =>
	await beside(speaker, door, async ({ jobs }) => {
		const job = await jobs.submit({ graph: endlessGraph(door.mark) });
		await until(() => door.sandbox.job(job.job_id)?.status === 'running', LONGEST_REAL_MS);
		return job;
	});

export function assertSucceeded(job: Job): void {
	assert.equal(job.status, 'succeeded');
	assert.equal(job.outputs.length, 1);
	assert.equal(job.job_error, null);
}

export interface CallParts extends Pick<Call, 'wire' | 'on' | 'persists' | 'sandbox' | 'billed' | 'tooDeep'> {
	repeatable?: boolean;
	/** Where these requests go, if not to the speaker's own. */
	from?: Call['at'];
	limits?: ConnectSettings['limits'];
	expects?: Expects;
}

/** @param work by a connection that goes through the proxy. */
export function callOf(
	{ name: who, words, at, open }: Speaker,
	name: string,
	{ expects = expectsIn(words), limits, from = at, ...parts }: CallParts,
	work: (connection: Connection, door: Door) => Promise<Outcome | void>,
): Call {
	const call: Call = {
		name: `${who} ${name}`,
		at: from,
		repeatable: true,
		...parts,
		expects: (fault, attempts) => expects(fault, attempts, call),
		run: async (door) => await using(open(door.urls, door.sandbox, limits), async (connection) => await work(connection, door)),
	};
	return call;
}

const GONE: ReadonlySet<number | undefined> = new Set([403, 404, 410]);

/** Nobody keeps workflows where such an answer comes. */
const noLibrary: Otherwise = ({ seen }) =>
	seen === 'page' || [403, 404, 501].includes(statusOf(seen) ?? 0)
		? { outcome: 'api 501 no_library', because: 'whoever answers like this keeps no workflows' }
		: undefined;

/** What ComfyUI brings along may be less than it could. */
const ofTemplates: Otherwise = ({ seen }, attempts) => {
	const isUnreadable = typeof seen === 'string' && ['page', 'broken', 'no json', 'other'].includes(seen);
	const isBrokenOff = (seen === 'cut' || seen === 'half') && attempts === 'every';
	return isUnreadable || isBrokenOff || [403, 404, 501].includes(statusOf(seen) ?? 0)
		? { outcome: NOT_THERE, because: 'a server may bring no templates along: a list is never less for it' }
		: undefined;
};

const ofTemplate: Otherwise = (fault, attempts) => {
	return fault.seen === 'page' || [403, 404, 501].includes(statusOf(fault.seen) ?? 0)
		? { outcome: 'api 404 template_not_found', because: 'whoever answers like this has no such template' }
		: ofFile(fault, attempts);
};

const NO_FILE_OF_JSON: Outcome = 'threw GraphError: Unusable workflow: not_json';

const OF_FILE: Partial<Record<string, Outcome>> = {
	half: NO_FILE_OF_JSON,
	'no json': NO_FILE_OF_JSON,
	other: 'threw GraphError: Unusable workflow: not_a_graph',
};

/** It is a file of somebody's, who may have broken it; and it may stand under its path written in another way. */
const ofFile: Otherwise = ({ seen, name }, attempts) => {
	if (name === 'gzip bomb') return { outcome: 'api 413 workflow_too_large', because: 'a file of somebody’s has a bound of its own' };
	if (statusOf(seen) === 404)
		return attempts === 'first'
			? { outcome: 'done', because: 'it is asked for once more, its path written in the other way' }
			: { outcome: 'api 404 workflow_not_found', because: 'it stands under neither way of writing its path' };
	if (seen === 'cut' && attempts === 'every')
		return { outcome: name === 'gzip cut short' ? 'unreadable truncated' : 'connection lost', because: 'its end is told as what it is' };
	const broken = typeof seen === 'string' ? OF_FILE[seen] : undefined;
	return broken === undefined ? undefined : { outcome: broken, because: 'the file is whole, and holds something else' };
};

/** Whatever is said beside a status of success is of no use. */
const wordless: Otherwise = ({ seen }) =>
	seen === 'no json' || seen === 'other' ? { outcome: 'done', because: 'its status says enough' } : undefined;

/** An empty list is one; which of the entries there are nobody can miss. */
const NOT_THERE: Outcome = 'not in the list';
const ofList: Otherwise = (fault, attempts) =>
	['JSON: a list', 'JSON: nested 100,000 deep'].includes(fault.name)
		? { outcome: NOT_THERE, because: 'a list may be empty' }
		: noLibrary(fault, attempts);

/** An engine says no more of a file that is not there. */
const ofBareFile: Otherwise = (fault, attempts) =>
	typeof fault.seen === 'object' && fault.seen.status === 404 && fault.seen.code === undefined && !fault.seen.page
		? { outcome: 'api 404 not_found', because: 'that is how an engine says that a file is not there' }
		: downloadEnds(fault, attempts, false, false);

const freshOnce: Otherwise = ({ seen }, attempts) =>
	attempts === 'first' && GONE.has(statusOf(seen))
		? { outcome: 'done', because: 'a link that may have expired is asked for anew, once' }
		: undefined;

/** Its first output. */
export async function downloaded(assets: Connection['assets'], [output]: Job['outputs']): Promise<void> {
	const { bytes } = await assets.download({ url: String(output?.url), contentType: 'image/png' });
	assert.equal((await collect(bytes)).toString('latin1', 1, 4), 'PNG');
}

/** What both take, each by code of its own. */
export function serverCalls(speaker: Speaker): Call[] {
	const of = callOf.bind(null, speaker);
	const { words } = speaker;
	const ended = endedJobOf(speaker);
	return [
		of('queue', { wire: 'json', on: 'GET /api/queue' }, async ({ control }) => {
			assert.ok(Array.isArray((await control?.queue())?.pending));
		}),
		of('upload', { wire: 'upload', on: 'POST /api/upload/image' }, async ({ assets }, { mark }) => {
			const bytes = await picture(colorOf(mark));
			const { asset } = await assets.upload(pngSource(bytes), { filePath: `${mark}.png` });
			assert.deepEqual(await collect((await assets.download({ url: asset.url })).bytes), bytes);
		}),
		of(
			'download',
			{
				wire: words === 'v1' ? 'bare' : 'file',
				on: 'GET /api/view',
				expects: expectsIn(words, words === 'v1' ? freshOnce : ofBareFile),
			},
			async ({ assets, jobs }, door) => await downloaded(assets, (await jobs.get((await ended(door)).job_id)).outputs),
		),
	];
}

/** What both take by the very same code: tried once. */
export function commonCalls(speaker: Speaker): Call[] {
	const of = callOf.bind(null, speaker);
	const { at: surface, words } = speaker;
	return [
		of('definitions', { wire: 'json', on: 'GET /api/object_info' }, async ({ control }) => {
			assert.ok('SaveImage' in ((await control?.nodeDefinitions()) ?? {}));
		}),
		of(
			'interrupt',
			{ wire: 'bare', on: 'POST /api/interrupt', repeatable: false, persists: 'unheard', sandbox: {} },
			async ({ control }) => await control?.interrupt(),
		),
		of(
			'removal from the queue',
			{ wire: 'json', on: 'POST /api/queue', expects: expectsIn(words, wordless) },
			async ({ control }, { mark }) => void (await control?.deleteFromQueue([mark])),
		),
		of('upload of a mask', { wire: 'upload', on: 'POST /api/upload/mask' }, async (connection, door) => {
			const { mark } = door;
			const photo = await beside(speaker, door, async ({ assets }) => {
				const source = pngSource(await picture(colorOf(mark)));
				return (await assets.upload(source, { filePath: `${mark}.png` })).asset;
			});
			const original = { filename: String(photo.name), subfolder: '', type: 'input' };
			const source = pngSource(await picture(colorOf(`mask of ${mark}`)));
			const { asset } = await assetMasks(connection).upload(source, { filePath: `mask-${mark}.png`, original });
			assert.equal(typeof asset.name, 'string');
		}),
		of('saved workflows', { wire: 'json', on: 'GET /api/userdata', expects: expectsIn(words, ofList) }, async ({ library }, door) => {
			door.sandbox.saveWorkflow(`${door.mark}.json`, { nodes: [], links: [], version: 0.4 }, { surface });
			const saved = (await library?.list()) ?? [];
			return saved.some(({ path }) => path === `${door.mark}.json`) ? undefined : NOT_THERE;
		}),
		of(
			'saved workflow',
			{ wire: 'json', on: 'GET /api/userdata/*', expects: expectsIn(words, ofFile), tooDeep: NO_FILE_OF_JSON },
			async ({ library }, door) => {
				door.sandbox.saveWorkflow(`${door.mark}.json`, { nodes: [], links: [], version: 0.4 }, { surface });
				assert.deepEqual((await library?.read(`${door.mark}.json`))?.nodes, []);
			},
		),
	];
}

const TEMPLATE = 'sandbox_plain_colour';

/** Of the web interface that stands at an engine's own address. */
export const templateCalls = (speaker: Speaker): Call[] => [
	callOf(
		speaker,
		'templates',
		{ wire: 'json', on: 'GET /templates/index.json', expects: expectsIn(speaker.words, ofTemplates) },
		async ({ library }) => {
			const templates = (await library?.templates()) ?? [];
			return templates.some(({ name }) => name === TEMPLATE) ? undefined : NOT_THERE;
		},
	),
	callOf(
		speaker,
		'template',
		{ wire: 'json', on: `GET /templates/${TEMPLATE}.json`, expects: expectsIn(speaker.words, ofTemplate), tooDeep: NO_FILE_OF_JSON },
		async ({ library }) => assert.ok(Array.isArray((await library?.template(TEMPLATE))?.nodes)),
	),
];

export const cancelCall = (speaker: Speaker, parts: CallParts): Call =>
	callOf(speaker, 'cancel', { sandbox: {}, ...parts }, async ({ jobs }, door) => {
		const { job_id } = await runningJob(speaker, door);
		const { job } = await cancelAndConfirm(jobs, job_id);
		assert.equal(job.status, 'canceled');
	});

export const removalExpects = (words: Words): Expects => expectsIn(words, wordless);

export const submitCall = (speaker: Speaker, parts: Omit<CallParts, 'wire' | 'on'>): Call =>
	callOf(
		speaker,
		'submit',
		{ wire: 'json', on: 'POST /api/prompt', repeatable: false, billed: paidJobs, sandbox: {}, ...parts },
		async ({ jobs }, { mark, sandbox }) => {
			const { job_id } = await jobs.submit({ graph: quickGraph(colorOf(mark)) }, { idempotencyKey: mark, keyIsOurs: true });
			assert.notEqual(sandbox.job(job_id), undefined);
		},
	);
