/** Every state of a submission with every event, and the form in which n8n stores it. */
import {
	isUnconfirmed,
	type ItemSubmission,
	jobIdOf,
	nextSubmission,
	openSubmission,
	type SubmissionEvent,
	type SubmissionState,
} from '../../../../nodes/shared/submission/itemSubmission';
import { parseSubmission, type StoredSubmission, toStored } from '../../../../nodes/shared/submission/storedSubmission';
import { itemSubmission as submission } from '../../support/itemSubmission';

const NOT: SubmissionState = { kind: 'notSubmitted' };
const SENDING: SubmissionState = { kind: 'sending' };
const KEPT: SubmissionState = { kind: 'sending', sentGraph: '{"1":{}}' };
const UNCONFIRMED: SubmissionState = { kind: 'unconfirmed', sentGraph: '{}' };
const ACCEPTED: SubmissionState = { kind: 'accepted', jobId: 'a' };
const ANSWERED: SubmissionState = { kind: 'answered', jobId: 'a' };
const REPLACED: SubmissionState = { kind: 'replaced' };

const STATES: SubmissionState[] = [NOT, KEPT, UNCONFIRMED, ACCEPTED, ANSWERED, REPLACED];
type Kind = SubmissionState['kind'];
const B: SubmissionState = { kind: 'accepted', jobId: 'b' };

/** What becomes of each state: `all` of them, or only these; the others stay as they are. */
const ROWS: Array<[event: SubmissionEvent, next: Partial<Record<Kind | 'all', SubmissionState>>]> = [
	[{ type: 'sending' }, { notSubmitted: SENDING }],
	[{ type: 'answerLost' }, { sending: { kind: 'unconfirmed', sentGraph: '{"1":{}}' } }],
	[{ type: 'nothingMade' }, { sending: NOT }],
	[
		{ type: 'interrupted', sentGraph: '{"2":{}}' },
		{ sending: { kind: 'sending', sentGraph: '{"2":{}}' }, unconfirmed: { kind: 'unconfirmed', sentGraph: '{"2":{}}' } },
	],
	[
		{ type: 'failed', madeNothing: true, sentGraph: '{"3":{}}' },
		{ sending: NOT, unconfirmed: { kind: 'unconfirmed', sentGraph: '{"3":{}}' } },
	],
	[
		{ type: 'failed', madeNothing: false, sentGraph: '{"3":{}}' },
		{ sending: { kind: 'unconfirmed', sentGraph: '{"3":{}}' }, unconfirmed: { kind: 'unconfirmed', sentGraph: '{"3":{}}' } },
	],
	[
		{ type: 'failed', madeNothing: false },
		{ sending: { kind: 'unconfirmed' }, unconfirmed: { kind: 'unconfirmed' } },
	],
	[{ type: 'accepted', jobId: 'b' }, { all: B }],
	[{ type: 'accepted', jobId: 'b', isUnreported: true }, { all: { ...B, isUnreported: true } }],
	[{ type: 'answered' }, { all: { kind: 'answered' }, accepted: ANSWERED, answered: ANSWERED }],
	[{ type: 'neverSubmitted' }, { all: NOT }],
	[{ type: 'reported' }, { accepted: { ...ACCEPTED, isUnreported: false } }],
	[{ type: 'unreported' }, { accepted: { ...ACCEPTED, isUnreported: true } }],
];

describe('nextSubmission', () => {
	it.each(ROWS)('after %j gives the next state of each state and keeps the details', (event, next) => {
		for (const from of STATES) {
			const before = submission(from, { facts: { seed: 1 }, endings: 2, replacedJobIds: ['x'] });
			expect(nextSubmission(before, event)).toEqual({ ...before, state: next[from.kind] ?? next.all ?? from });
			expect(before.state).toBe(from);
		}
	});

	it.each(STATES)('after a stop of $kind keeps the state and the time of the first stop', (state) => {
		const once = nextSubmission(submission(state), { type: 'stopped', at: 5_000 });
		expect(once).toEqual({ ...submission(state), stoppedAt: 5_000 });
		expect(nextSubmission(once, { type: 'stopped', at: 6_000 })).toEqual(once);
	});

	it.each(STATES)('after the end of a queued request from $kind gives notSubmitted and uses up a key', (state) => {
		const before = submission(state, { stoppedAt: 5_000, endings: 1 });
		expect(nextSubmission(before, { type: 'ended' })).toEqual({ ...before, state: NOT, endings: 2 });
	});

	it.each(STATES)('after the recovery of the job from $kind keeps the state', (state) => {
		const before = submission(state, { seedKey: 'seed', endings: 1 });
		expect(nextSubmission(before, { type: 'recovered' })).toEqual({ ...before, isRecovered: true });
		const later = { key: 'later', lostJobs: 2 };
		const moved = { ...before, isRecovered: true, key: 'later', endings: 3 };
		expect(nextSubmission(before, { type: 'recovered', later })).toEqual(moved);
		expect(nextSubmission({ ...before, key: null }, { type: 'recovered', later })).toEqual({ ...moved, key: null });
	});

	it.each<[from: SubmissionState, stoppedAt: number | undefined, since: Partial<ItemSubmission>]>([
		[ACCEPTED, 5_000, { openedAt: 5_000 }],
		[ACCEPTED, undefined, { openedAt: 1_000, mayExistSince: 3 }],
		[ANSWERED, 5_000, { openedAt: 5_000 }],
	])('after the replacement of %j, stopped at %s, remembers the job and uses up the key', (from, stoppedAt, since) => {
		const before = submission(from, { stoppedAt, facts: { seed: 1 }, seedKey: 's', mayExistSince: 3, endings: 1, replacedJobIds: ['x'] });
		expect(nextSubmission(before, { type: 'replaced' })).toStrictEqual({
			state: REPLACED,
			key: null,
			hash: 'hash',
			...since,
			endings: 2,
			replacedJobIds: ['x', 'a'],
		});
	});

	it.each([NOT, KEPT, UNCONFIRMED, REPLACED])('after the replacement of %j, which has no job, changes nothing', (state) => {
		const before = submission(state, { stoppedAt: 5_000 });
		expect(nextSubmission(before, { type: 'replaced' })).toEqual(before);
	});
});

it('a new submission inherits the used keys and the replaced jobs of the earlier one, and nothing else', () => {
	const opened = { key: 'key', seedKey: 'seed', hash: 'hash', openedAt: 7 };
	const earlier = submission(REPLACED, { endings: 2, replacedJobIds: ['a', 'b'], stoppedAt: 3, facts: { seed: 1 } });
	expect(openSubmission(opened, earlier)).toEqual({ ...opened, state: NOT, endings: 2, replacedJobIds: ['a', 'b'] });
	expect(openSubmission(opened)).toEqual({ ...opened, state: NOT, endings: 0, replacedJobIds: [] });
});

it('a submission that is sent or unconfirmed may have made a job, and only one with an answer has a job id', () => {
	expect(STATES.filter((state) => isUnconfirmed(submission(state)))).toEqual([KEPT, UNCONFIRMED]);
	expect(STATES.map((state) => jobIdOf({ state }))).toEqual([undefined, undefined, undefined, 'a', 'a', undefined]);
});

describe('the stored form', () => {
	const base = { key: 'key', hash: 'hash', sent_at: 1_000 };
	it.each<[state: SubmissionState, fields: Partial<StoredSubmission>, read?: SubmissionState]>([
		[NOT, { refused: true }],
		[SENDING, {}, { kind: 'unconfirmed' }],
		[KEPT, { sent_graph: '{"1":{}}' }, { kind: 'unconfirmed', sentGraph: '{"1":{}}' }],
		[UNCONFIRMED, { sent_graph: '{}' }],
		[ACCEPTED, { job_id: 'a' }],
		[{ kind: 'accepted', jobId: 'a', isUnreported: false }, { job_id: 'a' }, ACCEPTED],
		[
			{ kind: 'accepted', jobId: 'a', isUnreported: true },
			{ job_id: 'a', untold: true },
		],
		[{ kind: 'answered' }, { answered: true }],
		[ANSWERED, { answered: true, job_id: 'a' }],
		[REPLACED, { refused: true, replaced: true }],
	])('of %j has its fields, and is read back', (state, fields, read = state) => {
		const stored = toStored(submission(state));
		expect(stored).toStrictEqual({ ...base, ...fields });
		expect(parseSubmission(JSON.parse(JSON.stringify(stored)) as StoredSubmission)).toEqual(submission(read));
	});

	it('has every detail, and is read back', () => {
		const details: Partial<ItemSubmission> = {
			key: null,
			seedKey: 's',
			facts: { seed: 1 },
			interface: 'engine',
			mayExistSince: 2,
			stoppedAt: 3,
			endings: 4,
			replacedJobIds: ['x'],
			isRecovered: true,
			order: { model: 'm' },
		};
		const stored = toStored(submission(ACCEPTED, details));
		expect(stored).toStrictEqual({
			key: null,
			draw_key: 's',
			hash: 'hash',
			sent_at: 1_000,
			facts: { seed: 1 },
			interface: 'engine',
			may_exist_since: 2,
			stopped_at: 3,
			endings: 4,
			replaced_jobs: ['x'],
			found: true,
			sent: { model: 'm' },
			job_id: 'a',
		});
		expect(parseSubmission(stored)).toEqual(submission(ACCEPTED, details));
	});
});
