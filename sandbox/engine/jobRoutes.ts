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
		const wanted = readJobQuery(query);
		return 'error' in wanted ? reply.code(400).send(wanted) : listJobs(engine, wanted);
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

function listJobs(engine: LocalEngine, { statuses, sortBy, descending, offset, limit }: JobQuery): Record<string, unknown> {
	const all = [...unfinished(engine), ...engine.ended].filter((prompt) => statuses.includes(statusOf(prompt)));
	const jobs = all.map((prompt) => (prompt.job.isTerminal ? presentEnded(prompt, 'summary') : presentWaiting(prompt)));
	const sign = descending ? -1 : 1;
	jobs.sort((one, other) => sign * (sortKey(one, sortBy) - sortKey(other, sortBy)));
	const page = jobs.slice(offset, limit === null ? undefined : offset + limit);
	return { jobs: page, pagination: { offset, limit, total: jobs.length, has_more: offset + page.length < jobs.length } };
}

const sortKey = (
	{ create_time: created = 0, execution_start_time: start = 0, execution_end_time: end = 0 }: EngineJob,
	sortBy: JobQuery['sortBy'],
): number => (sortBy === 'created_at' ? created : start > 0 && end > 0 ? end - start : 0);

/** The query of `GET /api/jobs`. */
const JOB_STATUSES = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;
type JobStatusWord = (typeof JOB_STATUSES)[number];

interface JobQuery {
	statuses: readonly string[];
	sortBy: 'created_at' | 'execution_duration';
	descending: boolean;
	offset: number;
	/** Null: all. */
	limit: number | null;
}

/** @returns the query, newest first by default, or the body of a 400. */
function readJobQuery(query: Record<string, string>): JobQuery | { error: string } {
	const { status, sort_by: sortBy = 'created_at', sort_order: order = 'desc', limit, offset = '0' } = query;
	const statuses = status === undefined ? JOB_STATUSES : status.split(',').map((word) => word.trim().toLowerCase());
	const odd = statuses.filter((word) => !JOB_STATUSES.some((known) => known === word));
	if (odd.length > 0) return { error: `Invalid status value(s): ${odd.join(', ')}. Valid values: ${JOB_STATUSES.join(', ')}` };
	if (sortBy !== 'created_at' && sortBy !== 'execution_duration')
		return { error: 'sort_by must be one of: created_at, execution_duration' };
	if (order !== 'asc' && order !== 'desc') return { error: "sort_order must be 'asc' or 'desc'" };
	if (limit !== undefined && !/^[1-9]\d*$/.test(limit)) return { error: 'limit must be a positive integer' };
	if (!/^-?\d+$/.test(offset)) return { error: 'offset must be an integer' };
	return {
		statuses,
		sortBy,
		descending: order === 'desc',
		offset: Math.max(0, Number(offset)),
		limit: limit === undefined ? null : Number(limit),
	};
}

/** All times are epoch milliseconds. */
interface EngineJob {
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

function statusOf({ job, status }: Prompt): JobStatusWord {
	if (!job.isTerminal) return job.status === 'queued' ? 'pending' : 'in_progress';
	if (status.completed) return 'completed';
	return status.messages.some(([type]) => type === 'execution_interrupted') ? 'cancelled' : 'failed';
}

function presentWaiting(prompt: Prompt): EngineJob {
	const { number, extraData } = prompt.submission;
	return { id: prompt.job.id, status: statusOf(prompt), priority: number, ...createTime(extraData), outputs_count: 0 };
}

function presentEnded(prompt: Prompt, extent: 'summary' | 'whole'): EngineJob {
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
