/** Jobs as v1 writes them, and its words for their states. */
import type { Job } from '../service/job';
import { fileOf, outputsOf } from './files';

/** The engine's message types for the end of a run. */
const LAST_MESSAGES: Readonly<Record<string, string>> = { succeeded: 'execution_success', failed: 'execution_error' };

/** A job in lists. `create_time` and `update_time` are in seconds, execution times in milliseconds. */
export function presentSummary(job: Job): Record<string, unknown> {
	const { createdAt, startedAt, completedAt, isTerminal } = job;
	const preview = job.outputs.find(({ temporary }) => !temporary) ?? job.outputs[0];
	return {
		id: job.id,
		status: jobsWord(job),
		create_time: Math.floor(createdAt / 1000),
		update_time: Math.floor((completedAt ?? startedAt ?? createdAt) / 1000),
		...(startedAt !== null && { execution_start_time: startedAt }),
		...(startedAt !== null && completedAt !== null && { execution_end_time: completedAt }),
		...(isTerminal && {
			outputs_count: job.outputs.length,
			...(preview && {
				preview_output: { ...fileOf(preview), nodeId: preview.nodeId, mediaType: preview.asset.contentType.split('/')[0] },
			}),
			...(job.error !== null && { execution_error: presentError(job) }),
		}),
	};
}

/** The whole job. `workflow` is the submitted graph, without `extra_data`. */
export function presentV1Job(job: Job): Record<string, unknown> {
	return {
		...presentSummary(job),
		workflow: job.graph,
		...(job.isTerminal && {
			outputs: outputsOf(job),
			execution_status: presentStatus(job),
			execution_meta: Object.fromEntries(
				job.outputs.map(({ nodeId }) => [nodeId, { node_id: nodeId, display_node: nodeId, parent_node: null, real_node_id: nodeId }]),
			),
		}),
	};
}

function presentError({ error }: Job): Record<string, unknown> | null {
	return (
		error && {
			node_id: error.node_id,
			node_type: error.class_type,
			exception_type: error.exception_type,
			exception_message: error.message,
			traceback: error.traceback,
			current_inputs: {},
			current_outputs: {},
		}
	);
}

function presentStatus(job: Job): Record<string, unknown> {
	const message = (type: string, at: number | null): unknown[] => [type, { prompt_id: job.id, timestamp: at }];
	const succeeded = job.status === 'succeeded';
	const last = message(LAST_MESSAGES[job.status] ?? 'execution_interrupted', job.completedAt);
	return {
		status_str: succeeded ? 'success' : 'error',
		completed: succeeded,
		messages: job.startedAt === null ? [last] : [message('execution_start', job.startedAt), last],
	};
}

/** The status in the job list and in reads of a job. */
const jobsWord = ({ status }: Job): string =>
	({
		queued: 'pending',
		running: 'in_progress',
		canceling: 'in_progress',
		succeeded: 'completed',
		failed: 'failed',
		canceled: 'cancelled',
		expired: 'failed',
	})[status];

/** Whether the engine has begun with a node. */
const isExecuting = ({ progress }: Job): boolean => progress !== null && (progress.current_node !== null || progress.nodes_done > 0);

/** The status in the status route. @param isNext whether a queued job is the next to run. */
export function statusWord(job: Job, isNext: boolean): string {
	if (job.status === 'queued') return isNext ? 'submitted' : 'queued_waiting';
	if (job.status === 'running') return isExecuting(job) ? 'executing' : 'preparing';
	return { canceling: 'cancel_requested', succeeded: 'success', failed: 'error', canceled: 'cancelled', expired: 'lost' }[job.status];
}
