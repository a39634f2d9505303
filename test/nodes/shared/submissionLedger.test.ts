/** What the ledger remembers of submissions, on the execution that a retry sees. */
import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { realClock, setClock } from '../../../client/clock';
import { checkCustomKeys, customKey } from '../../../nodes/shared/submission/customKeys';
import { drawn } from '../../../nodes/shared/submission/drawn';
import { hashOf, type LedgerEntry, markStopped, SubmissionLedger } from '../../../nodes/shared/submission/submissionLedger';
import { type NodeStart, n8nExecution } from '../../histories/n8nExecution';

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
/** The ledger of one run of the node. */
const ledgerOf = (context: IDataObject, more: Partial<NodeStart> = {}, isTool = false) =>
	new SubmissionLedger(executionOf(context, more), isTool);
const retryOf = (context: IDataObject) => ledgerOf(context, { isRetry: true, retryOf: 'first' });

const KEY = 'key';
const HASH = 'hash';

function opened(ledger: SubmissionLedger, more: Partial<LedgerEntry> = {}, item = 0, hash = HASH): LedgerEntry {
	return Object.assign(ledger.open(item, KEY, hash), more);
}

describe('the next try', () => {
	it('finds the entry of its own item, and of no other', () => {
		const context = newContext();
		const entry = opened(ledgerOf(context));
		expect(ledgerOf(context).find(0, HASH)).toBe(entry);
		expect(ledgerOf(context).find(1, HASH)).toBeUndefined();
		expect(ledgerOf(context).find(0, 'other')).toBe(entry);
	});

	it('finds nothing where the last job is over', () => {
		const context = newContext();
		opened(ledgerOf(context), { job_id: 'a' });
		ledgerOf(context).forget('a');
		expect(ledgerOf(context).find(0, HASH)).toBeUndefined();
	});

	it.each([
		['unconfirmed', {}, true],
		['of which nobody was told', { job_id: 'a', untold: true }, true],
		['that was told', { job_id: 'a' }, false],
		['that was refused', { refused: true }, false],
		['whose result came', { answered: true }, false],
	])('of an AI tool, a run of its own, finds an entry %s: %#', (_name, more, isFound) => {
		const context = newContext();
		const entry = opened(ledgerOf(context, {}, true), more, 0, HASH);
		expect(ledgerOf(context, {}, true).find(1, HASH)).toBe(isFound ? entry : undefined);
		expect(ledgerOf(context, {}, true).find(1, 'other')).toBeUndefined();
		expect(ledgerOf(context).find(1, HASH)).toBeUndefined();
	});

	it('of an AI tool finds nothing of a job that a stop has canceled', () => {
		const context = newContext();
		const ledger = ledgerOf(context, {}, true);
		opened(ledger, { job_id: 'a', untold: true });
		ledger.forget('a');
		expect(ledgerOf(context, {}, true).find(1, HASH)).toBeUndefined();
	});

	it('of an AI tool makes an entry of its own for another call of the same run', () => {
		const context = newContext();
		const ledger = ledgerOf(context, {}, true);
		opened(ledger, { job_id: 'a' });
		opened(ledger, { job_id: 'b' }, 0, 'other');
		expect([ledger.find(0, HASH)?.job_id, ledger.find(0, 'other')?.job_id]).toEqual(['a', 'b']);
		expect(ledger.keyFor(0, HASH)).not.toBe(ledger.keyFor(0, 'other'));
	});
});

describe('may_exist_since', () => {
	it.each<[what: string, read: (context: IDataObject) => LedgerEntry | undefined, since: number | undefined]>([
		['is not set in a first execution', (context) => opened(ledgerOf(context)), undefined],
		['is the start of the execution if a retry finds nothing', (context) => opened(retryOf(context)), BEGAN],
		[
			'is the time of the submission if the service refused it, because a lost retry may have continued from there',
			(context) => {
				opened(ledgerOf(context), { refused: true });
				now += 5_000;
				return retryOf(context).find(0, HASH);
			},
			NOW,
		],
		[
			'is not set if an earlier try left the submission unconfirmed',
			(context) => {
				opened(ledgerOf(context));
				return retryOf(context).find(0, HASH);
			},
			undefined,
		],
	])('%s', (_what, read, since) => {
		const entry = read(newContext());
		expect(entry?.may_exist_since).toBe(since);
		expect('may_exist_since' in (entry ?? {})).toBe(since !== undefined);
	});

	it('M4: stays the earliest time in all retries that follow', () => {
		const context = newContext();
		opened(retryOf(context), { refused: true });
		now += 5_000;
		expect(retryOf(context).find(0, HASH)?.may_exist_since).toBe(BEGAN);
		expect(opened(retryOf(context)).may_exist_since).toBe(BEGAN);
	});

	it('is the time of the stop for what comes after a job that a stop has canceled', () => {
		const context = newContext();
		const entry = opened(ledgerOf(context), { job_id: 'a' });
		now += 1_000;
		markStopped(entry);
		now += 1_000;
		markStopped(entry);
		ledgerOf(context).forget('a');
		expect(opened(retryOf(context)).may_exist_since).toBe(NOW + 1_000);
	});
});

describe('a job that a stop has canceled', () => {
	it('M2: is known for good as one of another submission', () => {
		const context = newContext();
		const ledger = ledgerOf(context);
		opened(ledger, { job_id: 'other' }, 1);
		for (const jobId of ['a', 'b']) {
			opened(ledger, { job_id: jobId });
			ledger.forget(jobId);
			expect([...ledger.knownJobIds()]).toEqual(expect.arrayContaining([jobId, 'other']));
		}
		expect([...ledger.knownJobIds()].sort()).toStrictEqual(['a', 'b', 'other']);
		opened(ledger);
		expect([...ledger.knownJobIds()].sort()).toStrictEqual(['a', 'b', 'other']);
		opened(ledger, { job_id: 'c' });
		expect([...ledger.knownJobIds()].sort()).toStrictEqual(['a', 'b', 'c', 'other']);
	});

	it('gives its key to nobody: each one after it has another, the same in every retry', () => {
		const [context, keys] = [newContext(), [] as string[]];
		for (const jobId of ['a', 'b', 'c']) {
			const ledger = ledgerOf(context, { executionId: 'stopped' });
			keys.push(ledger.keyFor(0, HASH));
			opened(ledger, { job_id: jobId });
			ledger.forget(jobId);
		}
		expect(new Set(keys).size).toBe(3);
		const first = ledgerOf(newContext(), { executionId: 'stopped' });
		const entry = opened(first);
		expect(first.keyFor(0, HASH)).toBe(keys[0]);
		expect(first.laterKeys(0, entry).slice(0, 2)).toEqual(keys.slice(1));
		expect(first.laterKeys(0, entry)).toHaveLength(4);
	});

	it('leaves the entries of other jobs as they are', () => {
		const context = newContext();
		const ledger = ledgerOf(context);
		const other = opened(ledger, { job_id: 'b' }, 1);
		ledger.forget('a');
		expect(ledger.find(1, HASH)).toBe(other);
	});

	it.each([
		['a key', KEY, 1],
		['no key', null, null],
	])('N1: whose later job was found under a later key: goes on from there, where it has %s', (_name, key, isKept) => {
		const ledger = ledgerOf(newContext());
		const entry = Object.assign(ledger.open(0, key, HASH));
		const [, second = ''] = ledger.laterKeys(0, entry as LedgerEntry);
		ledger.takeLater(0, entry as LedgerEntry, second);
		expect(entry).toMatchObject({ endings: 2, draw_key: second, key: isKept === null ? null : second });
		expect(ledger.laterKeys(0, entry as LedgerEntry)).not.toContain(second);
		expect(ledger.keyFor(0, HASH)).toBe(second);
	});
});

describe('keys', () => {
	it('differ by execution, item and workflow, and are the same in a retry of n8n’s', () => {
		const key = (more: Partial<NodeStart> = {}, item = 0) => ledgerOf(newContext(), { executionId: 'e', ...more }).keyFor(item, HASH);
		const began = (establishedAt: number): Partial<NodeStart> => ({
			executionContext: { version: 1, establishedAt, source: 'webhook' },
		});
		const other = [key(), key({}, 1), key({ workflowId: 'x' }), key(began(BEGAN + 1))];
		expect(new Set(other).size).toBe(4);
		expect(key({ executionId: 'retry', isRetry: true, retryOf: 'e' })).toBe(key());
	});

	const onRetry = (context: IDataObject) => ledgerOf(context, { isRetry: true });
	it.each([
		['the key of an item', () => onRetry(newContext()).keyFor(0, HASH), '6a71014e-de95-52ba-ba94-fbc9ee8617bb'],
		[
			'the key after a stop',
			() => onRetry(newContext()).laterKeys(0, { key: KEY, hash: HASH, sent_at: 1 })[0],
			'04d8f0c1-8e5b-5f4e-8690-723af6b18337',
		],
		[
			'the hash of a graph',
			() => hashOf({ '1': { class_type: 'Note', inputs: {} } }),
			'c6e22a88c222deda2d18b6bd3ab109c94d0a22a1d01cfab6b31e5e9a3bbc7a89',
		],
		['a drawn number', () => drawn(KEY, 'seed', 1_000_000n), 709_043n],
	])('stay the same in every version of this package: %s', (_name, read, value) => expect(read()).toBe(value));

	it('keeps entries where every version of this package looks for them', () => {
		const context = newContext();
		const entry = opened(ledgerOf(context));
		expect(context.node).toEqual({ comfySubmissions: { '0:0': entry } });
	});
});

describe('whether somebody was told of a job', () => {
	it('is noted for this job alone, and taken back', () => {
		const ledger = ledgerOf(newContext());
		const [one, other] = [opened(ledger, { job_id: 'a' }), opened(ledger, { job_id: 'b' }, 1)];
		ledger.setTold('a', false);
		expect([one.untold, other.untold]).toEqual([true, undefined]);
		ledger.setTold('a', true);
		expect(one).not.toHaveProperty('untold');
	});
});

describe('where n8n has lost when the execution began', () => {
	const lost = (context: IDataObject): SubmissionLedger =>
		ledgerOf(context, { isRetry: true, executionContext: { version: 1, establishedAt: BEGAN, source: 'retry' as never } });

	it('nothing is sent for an item without an entry, in a retry', () => {
		const context = newContext();
		opened(ledgerOf(context), { refused: true });
		expect(() => lost(context).checkStart(0, HASH)).not.toThrow();
		expect(() => lost(context).checkStart(1, HASH)).toThrow(/may have been submitted before/);
		expect(() => ledgerOf(newContext()).checkStart(0, HASH)).not.toThrow();
	});
});

describe('a custom key', () => {
	it.each<readonly [key: string | null | undefined, sent: string | undefined]>([
		['a', 'a'],
		[' order 17 ', 'order 17'],
		['x'.repeat(255), 'x'.repeat(255)],
		...['', '   ', 'x'.repeat(256), 'Bestellung ü', 'a\nb', undefined, null].map((key) => [key, undefined] as const),
	])('%j is sent as %j, or refused', (key, sent) => {
		if (sent !== undefined) expect(customKey(key)).toBe(sent);
		else expect(() => customKey(key)).toThrow(/Custom Idempotency Key/);
	});

	const reading = (options: IDataObject | Error) =>
		((name: string) => {
			if (options instanceof Error) throw options;
			return name === 'options' ? options : {};
		}) as never;
	const custom = (idempotencyKey: unknown) => reading({ idempotencyKeyMode: 'custom', idempotencyKey } as IDataObject);

	it.each<[what: string, items: never[], message: RegExp | undefined]>([
		['the same key on two items', [custom('a'), custom('b'), custom(' a ')], /Items 0 and 2/],
		['two items without one', [custom(''), custom(undefined)], /Items 0 and 1/],
		['keys that differ', [custom('a'), custom('b')], undefined],
		[
			'automatic keys',
			[reading({ idempotencyKey: 'a' }), reading({ idempotencyKeyMode: 'automatic', idempotencyKey: 'a' }), custom('a')],
			undefined,
		],
		['no keys', [reading({ idempotencyKeyMode: 'none', idempotencyKey: 'a' }), custom('a')], undefined],
		['options that cannot be read', [reading(new Error('no')), reading(new Error('no')), custom('a')], undefined],
	])('stands for one job: %s are refused only if two items share a custom key', (_what, items, message) => {
		const check = () => checkCustomKeys(items);
		if (message === undefined) expect(check).not.toThrow();
		else expect(check).toThrow(message);
	});
});
