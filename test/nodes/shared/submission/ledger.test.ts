/** What the ledger remembers of submissions, on the execution that a retry sees. */
import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { realClock, setClock } from '../../../../client/async/clock';
import { forgetArrivals } from '../../../../nodes/shared/execution/arrivals';
import type { ItemSubmission, SubmissionEvent } from '../../../../nodes/shared/submission/itemSubmission';
import { openLedger, type SubmissionLedger, type SubmissionRecord } from '../../../../nodes/shared/submission/ledger';
import { type NodeStart, n8nExecution } from '../../../histories/n8nExecution';

const NOW = Date.parse('2026-11-23T12:00:00Z');
let now = NOW;
beforeEach(() => {
	now = NOW;
	setClock({ ...realClock, wallNow: () => now });
});
afterEach(() => setClock(realClock));

const BEGAN = NOW - 60_000;
const newContext = (): IDataObject => ({});
const executionOf = (context: IDataObject, more: Partial<NodeStart> = {}) =>
	n8nExecution({
		nodeType: 'comfyRunWorkflow',
		workflowId: 'w',
		executionId: randomUUID(),
		context,
		executionContext: { version: 1, establishedAt: BEGAN, source: 'webhook' },
		isRetry: false,
		retryOf: undefined,
		signal: new AbortController().signal,
		credential: { type: 'comfyApi', data: {} },
		items: [{}, {}],
		...more,
	});
/** The ledger of one item, in one run of the node. */
const ledgerOf = async (context: IDataObject, more: Partial<NodeStart> = {}, { itemIndex = 0, isTool = false } = {}) =>
	await openLedger({ execution: executionOf(context, more), itemIndex, isTool });
const ofItem1 = async (context: IDataObject) => await ledgerOf(context, {}, { itemIndex: 1 });
const retryOf = async (context: IDataObject) => await ledgerOf(context, { isRetry: true, retryOf: 'first' });

const KEY = 'key';
const HASH = 'hash';

function openRecord(ledger: SubmissionLedger, events: SubmissionEvent[] = [], hash = HASH): SubmissionRecord {
	const record = ledger.open({ key: KEY, hash });
	for (const event of events) record.apply(event);
	return record;
}

const SENDING: SubmissionEvent = { type: 'sending' };
const accepted = (jobId: string): SubmissionEvent[] => [SENDING, { type: 'accepted', jobId }];
const REPLACED: SubmissionEvent = { type: 'replaced' };
const storedIn = (context: IDataObject): Record<string, IDataObject> =>
	(context.node as { comfySubmissions: Record<string, IDataObject> }).comfySubmissions;

describe('the next try', () => {
	it.each<[name: string, events: SubmissionEvent[], isFound: boolean]>([
		['an unconfirmed submission', [SENDING], true],
		['a job that was not reported', [...accepted('a'), { type: 'unreported' }], true],
		['a job that was reported', accepted('a'), false],
		['a submission that made nothing', [], false],
		['a result that came', [SENDING, { type: 'answered' }], false],
		['a job that a stop has canceled', [...accepted('a'), { type: 'unreported' }, REPLACED], false],
	])('of an AI tool, a run of its own, looks for %s: %#', async (_name, events, isFound) => {
		const context = newContext();
		const ofCall = async () => await ledgerOf(context, {}, { itemIndex: 1, isTool: true });
		openRecord(await ledgerOf(context, {}, { isTool: true }), events);
		expect((await ofCall()).find(HASH)?.current.hash).toBe(isFound ? HASH : undefined);
		expect((await ofCall()).find('other')).toBeUndefined();
		expect((await ofItem1(context)).find(HASH)).toBeUndefined();
	});
});

describe('the time since which a submission may exist', () => {
	it.each<[what: string, read: (context: IDataObject) => Promise<ItemSubmission | undefined>, since: number | undefined]>([
		['is not set in a first execution', async (context) => openRecord(await ledgerOf(context)).current, undefined],
		['is the start of the execution if a retry finds nothing', async (context) => openRecord(await retryOf(context)).current, BEGAN],
		[
			'is the time of the submission if the service rejected it, because a lost retry may have continued from there',
			async (context) => {
				openRecord(await ledgerOf(context));
				now += 5_000;
				const ledger = await retryOf(context);
				return ledger.resume(ledger.find(HASH)!).current;
			},
			NOW,
		],
		[
			'is not set if an earlier try left the submission unconfirmed',
			async (context) => {
				openRecord(await ledgerOf(context), [SENDING]);
				return (await retryOf(context)).find(HASH)?.current;
			},
			undefined,
		],
	])('%s', async (_what, read, since) => {
		const context = newContext();
		expect((await read(context))?.mayExistSince).toBe(since);
		expect(storedIn(context)['0:0']?.may_exist_since).toBe(since);
		expect('may_exist_since' in (storedIn(context)['0:0'] ?? {})).toBe(since !== undefined);
	});

	it('is the time of the stop for what comes after a job that a stop has canceled', async () => {
		const context = newContext();
		const record = openRecord(await ledgerOf(context), accepted('a'));
		record.apply({ type: 'stopped', at: NOW + 1_000 });
		record.apply({ type: 'stopped', at: NOW + 2_000 });
		record.apply({ type: 'replaced' });
		expect(openRecord(await retryOf(context)).current.mayExistSince).toBe(NOW + 1_000);
	});
});

describe('a job that a stop has canceled', () => {
	it('M2: stays claimed for good', async () => {
		const context = newContext();
		const ledger = await ledgerOf(context);
		openRecord(await ofItem1(context), accepted('other'));
		for (const jobId of ['a', 'b']) {
			openRecord(ledger, [...accepted(jobId), REPLACED]);
			expect([...ledger.claimedJobIds]).toEqual(expect.arrayContaining([jobId, 'other']));
		}
		expect([...ledger.claimedJobIds].sort()).toStrictEqual(['a', 'b', 'other']);
		openRecord(ledger);
		expect([...ledger.claimedJobIds].sort()).toStrictEqual(['a', 'b', 'other']);
		openRecord(ledger, accepted('c'));
		const afterRestart = await ledgerOf(JSON.parse(JSON.stringify(context)) as IDataObject);
		for (const one of [ledger, afterRestart]) expect([...one.claimedJobIds].sort()).toStrictEqual(['a', 'b', 'c', 'other']);
	});

	it('does not come back when its record is marked as stopped after the replacement was opened', async () => {
		const context = newContext();
		const ledger = await ledgerOf(context);
		const canceled = openRecord(ledger, [...accepted('a'), REPLACED]);
		openRecord(ledger, accepted('b'));
		canceled.apply({ type: 'stopped', at: NOW });
		expect(storedIn(context)['0:0']).toMatchObject({ job_id: 'b', stopped_at: NOW });
	});

	it.each([
		['a key', KEY],
		['no key', null],
	])(
		'N1: whose replacement was recovered under a later key continues from there with the same seeds, where it has %s',
		async (_name, key) => {
			const ledger = await ledgerOf(newContext());
			const record = ledger.open({ key, seedKey: 'first', hash: HASH });
			const [, second = ''] = ledger.laterKeys(record.current);
			record.apply({ type: 'recovered', later: { key: second, lostJobs: 2 } });
			expect(record.current).toMatchObject({ endings: 2, seedKey: 'first', key: key === null ? null : second });
			expect(ledger.laterKeys(record.current)).not.toContain(second);
			expect(ledger.keyFor(HASH)).toBe(second);
		},
	);
});

describe('keys', () => {
	beforeEach(() => forgetArrivals());

	it('depend on the position of an item only if that changes what the item sends', async () => {
		const [one, two] = [{ prompt: 'one' }, { prompt: 'two' }];
		const parameters = { options: { inputValues: '={{ $json.prompt }}' } };
		const keyOfTwo = async (dependsOnPlace: boolean, items: IDataObject[]) => {
			const execution = executionOf(newContext(), { executionId: 'e', items, parameters });
			return (await openLedger({ execution, itemIndex: items.indexOf(two), isTool: false }, dependsOnPlace)).keyFor(HASH);
		};
		expect(await keyOfTwo(false, [one, two])).toBe(await keyOfTwo(false, [two]));
		expect(await keyOfTwo(true, [one, two])).not.toBe(await keyOfTwo(true, [two]));
		expect(await keyOfTwo(true, [two, one])).toBe(await keyOfTwo(true, [two]));
		expect(await keyOfTwo(true, [two])).not.toBe(await keyOfTwo(false, [two]));
	});

	const parent = {
		executionId: '1',
		workflowId: 'parent',
		executionContext: { version: 1 as const, establishedAt: BEGAN, source: 'webhook' as const },
	};
	const called: Partial<NodeStart> = { executionId: '2', called: { parent, rootMode: 'webhook', stored: {} } };
	it.each<[name: string, start: Partial<NodeStart>, read: (ledger: SubmissionLedger) => string | undefined, value: string]>([
		['the key of an item', { isRetry: true }, (ledger) => ledger.keyFor(HASH), 'bb6efdac-623a-5d71-86a4-ed8a65f732ac'],
		[
			'the key after a stop',
			{ isRetry: true },
			(ledger) => ledger.laterKeys({ hash: HASH, endings: 0 })[0],
			'fe720fd3-1fbb-55f0-9050-ba65c8942980',
		],
		['the key in a sub-workflow', called, (ledger) => ledger.keyFor(HASH), '510faac9-6254-5e1b-8d20-47818fb128c7'],
	])('stay the same in every version of this package: %s', async (_name, start, read, value) =>
		expect(read(await ledgerOf(newContext(), start))).toBe(value),
	);
});

describe('where n8n has lost when the execution began', () => {
	const executionContext = { version: 1, establishedAt: BEGAN, source: 'retry' as never } as const;
	const lost = async (context: IDataObject, itemIndex: number): Promise<SubmissionLedger> =>
		await ledgerOf(context, { isRetry: true, executionContext }, { itemIndex });

	it('a retry opens no new submission, and searches for the job of one that it resumes', async () => {
		const context = newContext();
		openRecord(await ledgerOf(context));
		openRecord(await ofItem1(context), [...accepted('a'), REPLACED]);
		const [rejected, canceled] = [await lost(context, 0), await lost(context, 1)];
		expect(rejected.resume(rejected.find(HASH)!).current).toMatchObject({ key: KEY, mayExistSince: NOW });
		expect(canceled.find(HASH)).toBeUndefined();
		expect(() => canceled.checkStart()).toThrow(/may have submitted this item/);
		const first = await ledgerOf(newContext());
		expect(() => first.checkStart()).not.toThrow();
	});
});
