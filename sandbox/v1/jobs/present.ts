/** Jobs as `/api/jobs` writes them. */
import type { Job } from '../../service/job';
import { fileOf, outputsOf } from '../files';
import { jobsWord } from '../statusWords';

/** How a run ended, in the engine's words. */
const LAST_MESSAGES: Readonly<Record<string, string>> = { succeeded: 'execution_success', failed: 'execution_error' };

/** As lists have it. `create_time` and `update_time` are seconds, the execution's times milliseconds. */
export function presentSummary(job: Job): Record<string, unknown> {
	const { createdAt, startedAt, completedAt, terminal } = job;
	const preview = job.outputs.find(({ temporary }) => !temporary) ?? job.outputs[0];
	return {
		id: job.id,
		status: jobsWord(job),
		create_time: Math.floor(createdAt / 1000),
		update_time: Math.floor((completedAt ?? startedAt ?? createdAt) / 1000),
		...(startedAt !== null && { execution_start_time: startedAt }),
		...(startedAt !== null && completedAt !== null && { execution_end_time: completedAt }),
		...(terminal && {
			outputs_count: job.outputs.length,
			...(preview && {
				preview_output: { ...fileOf(preview), nodeId: preview.nodeId, mediaType: preview.asset.contentType.split('/')[0] },
			}),
			...(job.error !== null && { execution_error: presentError(job) }),
		}),
	};
}

/** The whole job. `workflow` is the submitted graph; `extra_data` is never told. */
export function presentV1Job(job: Job): Record<string, unknown> {
	return {
		...presentSummary(job),
		workflow: job.graph,
		...(job.terminal && {
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
