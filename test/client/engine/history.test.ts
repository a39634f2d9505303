/** Entries of an engine's queue and history, some of them damaged. */
import { decodeGraph, decodeHistoryEntry, decodeQueueEntries } from '../../../client/engine/history';
import type { Job } from '../../../client';
import { decodeImages } from '../support/outputs';

const decoded = (entry: Record<string, unknown>): Job => decodeHistoryEntry('j', { outputs: {}, ...entry }, decodeImages);
const END = '2026-11-20T10:00:01.000Z';
const timestamp = Date.parse(END);

test('the running prompts of a queue come before the waiting ones, and other values are left out', () => {
	const [running, waiting] = [
		[1, 'running'],
		[2, 'waiting'],
	];
	expect(decodeQueueEntries({ queue_running: [running, null], queue_pending: ['x', waiting] })).toEqual([running, waiting]);
});

test('the graph of a prompt has no nodes without inputs or without a class', () => {
	const node = { class_type: 'A', inputs: {} };
	const damaged = { 2: { class_type: 'B' }, 3: { inputs: {} }, 4: null, 5: { class_type: 'B', inputs: [] } };
	expect(decodeGraph([1, 'j', { 1: node, ...damaged }])).toEqual({ 1: node });
});

test.each([
	['execution_success', 'success', 'succeeded'],
	['execution_error', 'error', 'failed'],
	['execution_error', 'a later status', 'failed'],
	['execution_interrupted', 'error', 'canceled'],
])('the message %s has the time of the end', (message, status_str, status) => {
	expect(decoded({ status: { status_str, messages: [[message, { timestamp }]] } })).toMatchObject({ status, completed_at: END });
});

test.each([[[]], [undefined], [['x', null, [1, {}], ['execution_start', null]]]])(
	'a failed job with the messages %j has an error that says that ComfyUI reports no reason',
	(messages) => {
		const job = decoded({ status: { status_str: 'error', messages } });
		expect(job).toMatchObject({ started_at: null, job_error: { code: 'execution_error', message: expect.stringContaining('no reason') } });
	},
);

test('results that are no objects hide no other outputs', () => {
	const { outputs } = decoded({ outputs: { 1: null, 2: 'x', 3: { images: [{ filename: 'a.png' }] } } });
	expect(outputs).toMatchObject([{ node_id: '3', name: 'a.png' }]);
});
