import { createHash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import { picture } from '../../client/support/pictures';
import { appText } from '../../support/savedApps';
import { useStillClock } from '../../support/stillClock';
import { until } from '../../support/until';
import { fieldsIn, filled } from '../support/apps';
import { type NodeRun, runNode, startNode } from '../support/engine';
import { credentialFor, type Way } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { collectLog } from '../support/log';
import { RETRY } from '../support/retried';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitRun } from '../support/submit';

const sandbox = sharedSandbox();

const submit = async (options: IDataObject, more: Partial<NodeRun> = {}, workflow: unknown = colorGraph(1)) =>
	await runNode(submitRun(credentialFor(sandbox), workflow, { ...more, parameters: { options, ...more.parameters } }));
const posts = () => sandbox.requests('POST /api/v2/jobs').length;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

it('uploads the file of an app before it submits, unless a row of Input Files has a file for the input', async () => {
	const credential = credentialFor(sandbox, 'bare_engine');
	const { fields } = await fieldsIn(credential, appText('file-and-switch'));
	const photo = { content: await picture(0x123456, 8), fileName: 'snap.png', mimeType: 'image/png' };
	const appInputs = filled(fields, { 'Your photo': 'snap' });
	const run = submitRun(credential, appText('file-and-switch'), {
		parameters: { appInputs },
		items: [{ json: {}, files: { snap: photo } }],
	});
	expect((await runNode(run)).error).toBeUndefined();
	expect(sandbox.requests('POST /api/upload/image')).toHaveLength(1);
	const [sent] = sandbox.requests('POST /api/prompt');
	const { prompt } = JSON.parse(sent?.bodyText ?? '{}') as { prompt: ApiGraph };
	expect(String(prompt['1']?.inputs.image)).toMatch(/snap.*\.png/);
	const reference = String(prompt['1']?.inputs.image);
	const other = { content: await picture(0x654321, 8), fileName: 'other.png', mimeType: 'image/png' };
	const inputFiles = { values: [{ input: { __rl: true, mode: 'name', value: '1.image' }, reference }] };
	const withRow = { ...run, parameters: { ...run.parameters, inputFiles }, items: [{ json: {}, files: { snap: other } }] };
	expect((await runNode(withRow)).error).toBeUndefined();
	expect(sandbox.requests('POST /api/upload/image')).toHaveLength(1);
	expect(sandbox.requests('POST /api/prompt').at(-1)?.bodyText).toContain(reference);
});

describe('extra data and the partner key', () => {
	it('sends the credential’s partner key under its field name only with the items that ask for it', async () => {
		const [keys, runs] = [sandbox.ledger.partnerKeys.length, sandbox.ledger.runs.length];
		await submit({ sendPartnerKey: '={{ $itemIndex === 1 }}', concurrency: 1 }, { items: [{}, {}, {}] });
		expect(sandbox.ledger.partnerKeys.slice(keys)).toEqual([sha256(sandbox.keys.partnerKey)]);
		const fields = sandbox.ledger.runs.slice(runs).map(({ partnerKeyField }) => partnerKeyField ?? null);
		expect(fields).toEqual([null, 'api_key_comfy_org', null]);
	});

	it('sends the API key itself where the credential has no partner key', async () => {
		await submit({ sendPartnerKey: true }, { credential: credentialFor(sandbox, 'hosted', { partnerApiKey: '' }) });
		expect(sandbox.ledger.partnerKeys.at(-1)).toBe(sha256(sandbox.keys.apiKey));
	});

	const TOKEN = 'signed-in-user-1';
	const extraSent = (): unknown =>
		(
			JSON.parse(
				sandbox.requests().findLast(({ method, path }) => method === 'POST' && /jobs|prompt/.test(path))?.bodyText ?? '',
			) as IDataObject
		).extra_data;
	const KEY = { api_key_comfy_org: expect.any(String) };
	const USER = { auth_token_comfy_org: TOKEN };

	it.each<[Way, IDataObject, IDataObject, object]>([
		['hosted', {}, { sendPartnerKey: true }, { ...KEY, ...USER }],
		['v1', {}, { sendPartnerKey: true }, { ...KEY, ...USER }],
		['engine', {}, { sendPartnerKey: true }, { ...KEY, ...USER }],
		['engine', { partnerApiKey: '' }, { sendPartnerKey: true }, USER],
		['engine', {}, { extraData: { more: 1 } }, { more: 1 }],
		['engine', {}, { sendPartnerKey: true, extraData: { more: 1 } }, { ...KEY, ...USER, more: 1 }],
		// The API proxy rejects the token.
		['self_hosted', {}, { sendPartnerKey: true }, KEY],
	])('sends the key, the token of a signed-in user and extra data as chosen (%s, %j, %j)', async (way, changes, options, expected) => {
		const credential = credentialFor(sandbox, way, { partnerAuthToken: ` ${TOKEN} `, ...changes });
		expect((await submit(options, { credential })).error).toBeUndefined();
		// Beside what says where the job comes from.
		const extra = Object.entries(extraSent() as IDataObject).filter(([name]) => !/^(extra_pnginfo|client_prompt_id|n8n_\w+)$/.test(name));
		expect(Object.fromEntries(extra)).toEqual(expected);
	});

	it.each([
		[
			TOKEN,
			'The API proxy does not accept a Partner Auth Token',
			/Set Interface to Engine, enter Partner API Key in the Comfy Self-Hosted/,
		],
		['', 'Partner API Key is empty', /Enter Partner API Key in the Comfy Self-Hosted API credential.*, or Partner Auth Token below it/],
	])('sends nothing if the API proxy would get only the token "%s"', async (partnerAuthToken, message, advice) => {
		const credential = credentialFor(sandbox, 'self_hosted', { partnerApiKey: '', partnerAuthToken });
		const { error } = await submit({ sendPartnerKey: '={{ $itemIndex === 1 }}', concurrency: 1 }, { credential, items: [{}, {}] });
		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(advice);
		expect(error?.context.itemIndex).toBe(1);
		expect(posts()).toBe(1);
	});

	it('a queue that stays full is reported with the field of this node', async () => {
		sandbox.inject({ on: 'POST /api/v2/jobs', times: Infinity, answer: { status: 429, code: 'queue_full' } });
		const { error } = await submit({ keepTryingForSeconds: 1 });
		expect(error?.description).toContain('No job was created. Raise Keep Trying For (Seconds)');
	});

	it('sends extra data as it is, and refuses what is no object without repeating it', async () => {
		await submit({ extraData: { api_key_comfy_org: 'from-extra' } });
		expect(sandbox.ledger.partnerKeys.at(-1)).toBe(sha256('from-extra'));
		const { error, stored } = await submit({ extraData: '={{ "marker-" + "secret" }}' });
		expect(error?.message).toMatch(/Extra Data is not a JSON object/);
		expect(`${error?.message} ${error?.description}`).not.toContain('marker-secret');
		expect(stored).not.toContain('marker-secret');
	});
});

describe('the idempotency key', () => {
	const custom = (idempotencyKey: string) => ({ idempotencyKeyMode: 'custom', idempotencyKey });

	it('is automatic, the user’s own or left out, as each item says', async () => {
		const before = sandbox.ledger.runs.length;
		const options = {
			idempotencyKeyMode: '={{ ["custom", "none", "automatic", "custom"][$itemIndex] }}',
			idempotencyKey: '={{ "order-" + $itemIndex }}',
			concurrency: 1,
		};
		const result = await submit(options, { items: [{}, {}, {}, {}] });
		const keys = jsons(result).map(({ idempotency_key: key }) => key);
		expect(keys).toEqual(['order-0', undefined, expect.stringMatching(/^[0-9a-f-]{36}$/), 'order-3']);
		expect(sandbox.ledger.runs.slice(before).map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys);
	});

	it('that is the same for several items is refused before anything is sent', async () => {
		const { error } = await submit(custom('same'), { items: [{}, {}, {}] });
		expect(error?.message).toMatch(/Items 0 and 1 have the same Custom Idempotency Key/);
		expect(error?.context.itemIndex).toBe(1);
		expect(posts()).toBe(0);
	});

	it.each([
		['', 'is empty'],
		['a'.repeat(256), 'is not valid'],
	])('that is %j is refused by the name of its field', async (key, words) => {
		const { error } = await submit(custom(key));
		expect(error?.message).toContain(`Custom Idempotency Key ${words}`);
		expect(posts()).toBe(0);
	});
});

describe('a full queue', () => {
	const whileFull = async (times: number, keepTryingForSeconds: number) => {
		sandbox.inject({ on: 'POST /api/v2/jobs', times, answer: { status: 429, code: 'queue_full', retryAfter: 1 } });
		return await submit({ keepTryingForSeconds });
	};

	it('is waited for, with the same key', async () => {
		expect((await whileFull(1, 60)).status).toBe('success');
		const keys = sandbox.requests('POST /api/v2/jobs').map(({ headers }) => headers['idempotency-key']);
		expect(keys).toEqual([expect.any(String), keys[0]]);
	});
});

describe('a call of an agent', () => {
	const values = { values: [{ input: { __rl: true, mode: 'name', value: '5.steps' }, value: 3 }] };
	const formOf = async (): Promise<IDataObject> => {
		const { fields } = await fieldsIn(credentialFor(sandbox), appText('renamed'));
		return { appInputs: filled(fields, { 'What to draw': 'a hare' }) };
	};

	it.each<[string, () => IDataObject | Promise<IDataObject>, string]>([
		['nothing', () => ({}), 'fd7ede9cb4179f1a7d439c989679fd1831b2f979787e92dc8066c254f84c9c5e'],
		[
			'values and rows',
			() => ({ inputs: values, options: { inputValues: { '5': { seed: 7 } } } }),
			'278b53d7169d018a1c2de1f9694f50b8a1d5d1a6e4bb738780b88cfd9ca3a31c',
		],
		['the form of an app', formOf, '3d29c91f3ed13d2cb9a86ef46b3fa475c1b75b9830e9b13905aeeb2bd5a1f83e'],
		['a workflow in API format', () => ({ workflow: colorGraph(1) }), '29dc30fb30deb7d26cfffe6ba9d7234e217d244f582a938f5a3d91d9718e7cac'],
		[
			'the name of a saved workflow',
			() => ({ workflowSource: 'saved', savedWorkflow: { __rl: true, mode: 'list', value: 'renamed.json' } }),
			'608685b1dba1f597d905ac6db9f5e4d87d7dfaaccb1801824efc67f96e361c0b',
		],
	])('is known by the same hash in every version of this package where it enters %s', async (_, parameters, hash) => {
		sandbox.saveWorkflow('renamed.json', JSON.parse(appText('renamed')) as object, { surface: 'hosted' });
		const result = await submit({}, { asTool: true, parameters: await parameters() }, appText('renamed'));
		expect(jsons(result)[0]).toMatchObject({ job_id: expect.any(String), idempotency_key: expect.any(String) });
		const entries = result.contextData['node:Under Test']?.comfySubmissions;
		expect(Object.keys(entries as IDataObject)).toEqual([`0:0:${hash}`]);
	});
});

describe('a stop', () => {
	const CANCEL = 'POST /api/v2/jobs/:id/cancel';
	const READ = 'GET /api/v2/jobs/:id';
	const cancels = () => sandbox.requests(CANCEL);

	it('cancels what was submitted unless Cancel On Stop of its item is off, and sends nothing more, not in later tries either', async () => {
		sandbox.configure({ workers: 0 });
		sandbox.inject({ on: 'POST /api/v2/jobs', skip: 2, fault: { kind: 'stall', ms: 300 } });
		const { logger, lines } = collectLog();
		const run = submitRun(credentialFor(sandbox, 'deployment'), colorGraph(45), {
			items: Array<object>(5).fill({}),
			settings: RETRY,
			parameters: { options: { concurrency: 1, cancelOnStop: '={{ $itemIndex !== 1 }}' } },
			logger,
		});
		const { result, stop } = startNode(run);
		await until(() => posts() === 3);
		stop();
		await result.catch(() => undefined);
		await until(() => cancels().length >= 2);
		await new Promise((resolve) => setTimeout(resolve, 1_000));
		expect([posts(), sandbox.requests(READ).length, cancels().length]).toEqual([3, 2, 2]);
		expect(lines.filter(({ message }) => message.includes('the node cancels job'))).toHaveLength(2);
	});

	describe('whose cancel gets no answer', () => {
		const moveOn = useStillClock();

		it('waits for the service for 5 seconds at most', async () => {
			sandbox.configure({ workers: 0 });
			sandbox.inject({ on: CANCEL, times: Infinity, fault: { kind: 'stall' } });
			sandbox.inject({ on: 'POST /api/v2/jobs', skip: 1, fault: { kind: 'stall', ms: 300 } });
			const run = submitRun(credentialFor(sandbox, 'deployment'), colorGraph(46), {
				items: [{}, {}],
				parameters: { options: { concurrency: 1 } },
			});
			const { result, stop } = startNode(run);
			await until(() => posts() === 2);
			stop();
			await until(() => cancels().length === 2);
			moveOn(5_000);
			await result.catch(() => undefined);
			expect(cancels()).toHaveLength(2);
		});
	});
});
