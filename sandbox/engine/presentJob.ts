/** A prompt as `/api/jobs` writes it; fields without a value are left out. */
import type { NodeOutputs, OutputFile } from '../socket/runFrames';
import type { JobStatusWord } from './jobQuery';
import type { Prompt } from './prompt';

/** All times are epoch milliseconds. */
export interface EngineJob {
	id: string;
	status: JobStatusWord;
	priority: number;
	create_time?: number;
	execution_start_time?: number;
	execution_end_time?: number;
	outputs_count: number;
	[more: string]: unknown;
}

const PREVIEWED_KEYS: ReadonlySet<string> = new Set(['images', 'video', 'audio']);
const PREVIEWED_NAME = /\.(obj|fbx|gltf|glb)$/i;
const END_MESSAGES: ReadonlySet<string> = new Set(['execution_success', 'execution_error', 'execution_interrupted']);

export function statusOf({ job, status }: Prompt): JobStatusWord {
	if (!job.terminal) return job.status === 'queued' ? 'pending' : 'in_progress';
	if (status.completed) return 'completed';
	return status.messages.some(([type]) => type === 'execution_interrupted') ? 'cancelled' : 'failed';
}

export function presentWaiting(prompt: Prompt): EngineJob {
	const { number, extraData } = prompt.submission;
	return { id: prompt.job.id, status: statusOf(prompt), priority: number, ...createTime(extraData), outputs_count: 0 };
}

export function presentEnded(prompt: Prompt, extent: 'summary' | 'whole'): EngineJob {
	const { submission, graph, outputs, status } = prompt;
	const start = messageOf(prompt, (type) => type === 'execution_start');
	const end = messageOf(prompt, (type) => END_MESSAGES.has(type));
	const error = messageOf(prompt, (type) => type === 'execution_error');
	const items = outputItems(outputs);
	const previews = items.filter(({ mediaType, filename }) => PREVIEWED_KEYS.has(mediaType) || PREVIEWED_NAME.test(filename));
	const preview = previews.find(({ type }) => type === 'output') ?? previews[0];
	return {
		...presentWaiting(prompt),
		...(start && { execution_start_time: Number(start.timestamp) }),
		...(end && { execution_end_time: Number(end.timestamp) }),
		...(error && { execution_error: error }),
		outputs_count: items.length,
		...(preview && { preview_output: preview }),
		...(extent === 'whole' && { outputs, execution_status: status, workflow: { prompt: graph, extra_data: submission.extraData } }),
	};
}

const createTime = ({ create_time: time }: Record<string, unknown>): { create_time?: number } =>
	typeof time === 'number' ? { create_time: time } : {};

const messageOf = ({ status }: Prompt, isWanted: (type: string) => boolean): Record<string, unknown> | undefined =>
	status.messages.find(([type]) => isWanted(type))?.[1];

/** Files only: texts and flags do not count. */
const outputItems = (outputs: Record<string, NodeOutputs>): Array<OutputFile & { nodeId: string; mediaType: string }> =>
	Object.entries(outputs).flatMap(([nodeId, results]) =>
		Object.entries(results).flatMap(([mediaType, items]) =>
			items.flatMap((item) => (typeof item === 'object' ? { ...item, nodeId, mediaType } : [])),
		),
	);
