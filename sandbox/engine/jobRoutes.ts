/** `/jobs`, which newer engines have below `/api`: queue and history in one list. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Behaviour } from '../behaviour';
import type { NodeOutputs, OutputFile } from '../socket/runFrames';
import { sendNoFile, sendText } from './answers';
import type { LocalEngine } from './localEngine';
import type { Prompt } from './prompt';

/** A disabled route answers like a route that does not exist. */
export function engineJobRoutes(app: FastifyInstance, engine: LocalEngine, behaviour: Behaviour): void {
	app.get<{ Querystring: Record<string, string> }>('/jobs', ({ query }, reply) => {
		if (!behaviour.engineJobRoutes) return sendNoFile(reply);
		const list = listJobs(engine, query);
		return 'error' in list ? reply.code(400).send(list) : list;
	});

	app.get<{ Params: { id: string } }>('/jobs/:id', ({ params: { id } }, reply) => {
		if (!behaviour.engineJobRoutes) return sendNoFile(reply);
		const ended = engine.endedPrompt(id);
		if (ended !== undefined) return presentEnded(ended, 'whole');
		const waiting = unfinished(engine).find(({ job }) => job.id === id);
		return waiting === undefined
			? reply.code(404).send({ error: 'Job not found' })
			: { ...presentWaiting(waiting), ...workflowOf(waiting) };
	});

	// A finished or unknown prompt is answered with `cancelled: false`.
	app.post<{ Params: { id: string } }>('/jobs/:id/cancel', ({ params: { id } }, reply): FastifyReply => {
		if (!behaviour.engineJobRoutes) return sendText(reply.header('allow', 'GET,HEAD'), 405);
		return reply.send({ cancelled: engine.cancel(id) });
	});
}

const unfinished = (engine: LocalEngine): Prompt[] => [...engine.running, ...engine.pending];

const workflowOf = ({ graph, submission }: Prompt): Record<string, unknown> => ({
	workflow: { prompt: graph, extra_data: submission.extraData },
});

/** Newest first. Without a limit, it lists all jobs. @returns the list, or the body of a 400. */
function listJobs(engine: LocalEngine, { limit, offset: from = '0' }: Record<string, string>): Record<string, unknown> {
	if (limit !== undefined && !/^[1-9]\d*$/.test(limit)) return { error: 'limit must be a positive integer' };
	if (!/^-?\d+$/.test(from)) return { error: 'offset must be an integer' };
	const offset = Math.max(0, Number(from));
	const jobs = [...unfinished(engine).map(presentWaiting), ...engine.ended.map((prompt) => presentEnded(prompt, 'summary'))];
	jobs.sort(({ create_time: one = 0 }, { create_time: other = 0 }) => other - one);
	const page = jobs.slice(offset, limit === undefined ? undefined : offset + Number(limit));
	return {
		jobs: page,
		pagination: {
			offset,
			limit: limit === undefined ? null : Number(limit),
			total: jobs.length,
			has_more: offset + page.length < jobs.length,
		},
	};
}

const PREVIEWED_KEYS: ReadonlySet<string> = new Set(['images', 'video', 'audio']);
const PREVIEWED_NAME = /\.(obj|fbx|gltf|glb)$/i;
const END_MESSAGES: ReadonlySet<string> = new Set(['execution_success', 'execution_error', 'execution_interrupted']);

function statusOf({ job, status }: Prompt): string {
	if (!job.isTerminal) return job.status === 'queued' ? 'pending' : 'in_progress';
	if (status.completed) return 'completed';
	return status.messages.some(([type]) => type === 'execution_interrupted') ? 'cancelled' : 'failed';
}

/** All times are epoch milliseconds. */
function presentWaiting(prompt: Prompt) {
	const { number, extraData } = prompt.submission;
	return { id: prompt.job.id, status: statusOf(prompt), priority: number, ...createTime(extraData), outputs_count: 0 };
}

function presentEnded(prompt: Prompt, extent: 'summary' | 'whole') {
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

const isFile = (item: unknown): item is OutputFile => typeof item === 'object' && item !== null && 'filename' in item;

/** Only files; texts and flags are left out. */
const outputItems = (outputs: Record<string, NodeOutputs>): Array<OutputFile & { nodeId: string; mediaType: string }> =>
	Object.entries(outputs).flatMap(([nodeId, results]) =>
		Object.entries(results).flatMap(([mediaType, items]) => items.filter(isFile).map((file) => ({ ...file, nodeId, mediaType }))),
	);
