/** `/jobs`, which newer engines have below `/api`: queue and history in one list. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Behaviour } from '../behaviour';
import type { NodeOutputs, OutputFile } from '../socket/runFrames';
import { isRecord } from '../json';
import { EngineFault, sendNoFile, sendText } from './answers';
import type { LocalEngine } from './localEngine';
import type { Prompt } from './prompt';

/**
 * A disabled route answers like a route that does not exist. Answers and checks as in `server.py` and `comfy_execution/jobs.py` of
 * ComfyUI.
 */
export function engineJobRoutes(app: FastifyInstance, engine: LocalEngine, behaviour: Behaviour): void {
	app.get<{ Querystring: Record<string, string> }>('/jobs', ({ query }, reply) => {
		if (!behaviour.engineJobRoutes) return sendNoFile(reply);
		const list = listJobs(engine, query, behaviour);
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

	const canCancel = (): boolean => behaviour.engineJobRoutes && behaviour.engineCancelRoutes;
	const sendNoMethod = (reply: FastifyReply): FastifyReply => sendText(reply.header('allow', 'GET,HEAD'), 405);

	// A finished or unknown prompt is answered with `cancelled: false`.
	app.post<{ Params: { id: string } }>('/jobs/:id/cancel', ({ params: { id } }, reply): FastifyReply => {
		if (!canCancel()) return sendNoMethod(reply);
		return reply.send({ cancelled: engine.cancel(id) });
	});

	app.post('/jobs/cancel', ({ body }, reply): FastifyReply => {
		if (!canCancel()) return sendNoMethod(reply);
		const ids: unknown = isRecord(body) ? body.job_ids : undefined;
		if (!Array.isArray(ids)) return reply.code(400).send({ error: 'job_ids must be a list' });
		const invalid = ids.filter((id) => typeof id !== 'string' || !JOB_ID.test(id)).map(String);
		if (invalid.length > 0) return reply.code(400).send({ error: 'job_ids contains invalid id(s)', invalid_ids: invalid });
		const canceled = ids.filter((id: string) => engine.cancel(id));
		return reply.send({ cancelled: canceled.length > 0 });
	});
}

/** A UUID in lower case with hyphens. */
const JOB_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const unfinished = (engine: LocalEngine): Prompt[] => [...engine.running, ...engine.pending];

const workflowOf = ({ graph, submission }: Prompt): Record<string, unknown> => ({
	workflow: { prompt: graph, extra_data: submission.extraData },
});

const STATUSES = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'];

/** The statuses that a list can be filtered by. ComfyUI 0.6 does not separate canceled jobs from failed ones. */
const statusesOf = ({ engineJobStatuses }: Behaviour): readonly string[] => STATUSES.slice(0, engineJobStatuses);

interface JobQuery {
	statuses: readonly string[] | undefined;
	workflowId: string | undefined;
	offset: number;
	limit: number | undefined;
}

/** @returns the text of the error if a value is invalid. */
function readQuery(query: Record<string, string>, known: readonly string[]): JobQuery | string {
	const { limit, offset = '0', status, workflow_id: workflowId } = query;
	const statuses = status
		?.split(',')
		.map((one) => one.trim().toLowerCase())
		.filter((one) => one !== '');
	const invalid = (statuses ?? []).filter((one) => !known.includes(one));
	if (invalid.length > 0) return `Invalid status value(s): ${invalid.join(', ')}. Valid values: ${known.join(', ')}`;
	if (limit !== undefined && !/^[1-9]\d*$/.test(limit)) return 'limit must be a positive integer';
	if (!/^-?\d+$/.test(offset)) return 'offset must be an integer';
	return { statuses, workflowId, offset: Math.max(0, Number(offset)), limit: limit === undefined ? undefined : Number(limit) };
}

/**
 * Newest first. Without a limit, it lists all jobs.
 * @returns the list, or the body of a 400.
 * @throws EngineFault if the extra data of one prompt is not as the list expects it.
 */
function listJobs(engine: LocalEngine, query: Record<string, string>, behaviour: Behaviour): Record<string, unknown> {
	const known = statusesOf(behaviour);
	const read = readQuery(query, known);
	if (typeof read === 'string') return { error: read };
	const { statuses, workflowId, offset, limit } = read;
	const all = [...unfinished(engine).map(presentWaiting), ...engine.ended.map((prompt) => presentEnded(prompt, 'summary'))].map((job) => ({
		...job,
		status: known.includes(job.status) ? job.status : 'failed',
	}));
	const jobs = all.filter(
		({ status, workflow_id: id }) =>
			(statuses === undefined || statuses.length === 0 || statuses.includes(status)) && (!workflowId || id === workflowId),
	);
	jobs.sort(({ create_time: one = 0 }, { create_time: other = 0 }) => other - one);
	const page = jobs.slice(offset, limit === undefined ? undefined : offset + limit);
	return {
		jobs: page,
		pagination: { offset, limit: limit ?? null, total: jobs.length, has_more: offset + page.length < jobs.length },
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
	return {
		id: prompt.job.id,
		status: statusOf(prompt),
		priority: number,
		...createTime(extraData),
		...workflowIdOf(extraData),
		outputs_count: 0,
		previewable_outputs_count: 0,
	};
}

/** The id of the editor's workflow. A value of another kind fails the whole request. */
function workflowIdOf({ extra_pnginfo: info = {} }: Record<string, unknown>): { workflow_id?: string } {
	if (!isRecord(info)) throw new EngineFault();
	const { workflow = {} } = info;
	if (!isRecord(workflow)) throw new EngineFault();
	return typeof workflow.id === 'string' ? { workflow_id: workflow.id } : {};
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
		previewable_outputs_count: previews.length,
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
