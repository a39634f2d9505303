/** Every state of a job in each of the three vocabularies. */
import { statusWord } from '../../../sandbox/v1/statusWords';
import { Job } from '../../../sandbox/service/job';
import { picture } from '../support/graphs';

const job = (status: Job['status'], currentNode: string | null = null): Job => {
	const made = new Job({ surface: 'hosted', account: 'main', graph: picture(), lifetimeMs: 1000 });
	made.status = status;
	made.progress = {
		value: 0,
		nodes_done: 0,
		nodes_total: 2,
		current_node: currentNode,
		current_node_class: null,
		step: null,
		steps: null,
		message: null,
	};
	return made;
};
const next = job('queued');

test.each([
	['the next in the queue', next, ['submitted', 'pending', 'pending']],
	['another in the queue', job('queued'), ['queued_waiting', 'waiting_to_dispatch', 'pending']],
	['started, no node yet', job('running'), ['preparing', 'in_progress', 'in_progress']],
	['at a node', job('running', 'image'), ['executing', 'in_progress', 'in_progress']],
	['being stopped', job('canceling'), ['cancel_requested', 'in_progress', 'in_progress']],
	['succeeded', job('succeeded'), ['success', 'completed', 'completed']],
	['failed', job('failed'), ['error', 'error', 'failed']],
	['canceled', job('canceled'), ['cancelled', 'cancelled', 'cancelled']],
	['gone', job('expired'), ['lost', 'error', 'failed']],
])('%s', (_state, one, words) => {
	expect(
		(['specification', 'openapi', 'jobs'] as const).map((vocabulary) => statusWord(one, vocabulary, (queued) => queued === next)),
	).toEqual(words);
});
