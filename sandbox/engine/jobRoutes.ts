/** `/api/jobs`, which newer engines have: queue and history in one list, in normalised words. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Behaviour } from '../behaviour';
import { sendNoFile, sendText } from './engineFault';
import { readJobQuery, type JobQuery } from './jobQuery';
import type { LocalEngine } from './localEngine';
import type { Prompt } from './prompt';
import { presentEnded, presentWaiting, statusOf, type EngineJob } from './presentJob';

/** @param behaviour a route that is switched off is answered as one that is not there. */
export function engineJobRoutes(app: FastifyInstance, engine: LocalEngine, behaviour: Behaviour): void {
	app.get<{ Querystring: Record<string, string> }>('/api/jobs', ({ query }, reply) => {
		if (!behaviour.engineJobRoutes) return sendNoFile(reply);
		const wanted = readJobQuery(query);
		return 'error' in wanted ? reply.code(400).send(wanted) : listJobs(engine, wanted);
	});

	app.get<{ Params: { id: string } }>('/api/jobs/:id', ({ params: { id } }, reply) => {
		if (!behaviour.engineJobRoutes) return sendNoFile(reply);
		const ended = engine.endedPrompt(id);
		if (ended !== undefined) return presentEnded(ended, 'whole');
		const waiting = unfinished(engine).find(({ job }) => job.id === id);
		return waiting === undefined
			? reply.code(404).send({ error: 'Job not found' })
			: { ...presentWaiting(waiting), ...workflowOf(waiting) };
	});

	// What has ended, or never was, needs no cancelling.
	app.post<{ Params: { id: string } }>('/api/jobs/:id/cancel', ({ params: { id } }, reply): FastifyReply => {
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
	const jobs = all.map((prompt) => (prompt.job.terminal ? presentEnded(prompt, 'summary') : presentWaiting(prompt)));
	const sign = descending ? -1 : 1;
	jobs.sort((one, other) => sign * (sortKey(one, sortBy) - sortKey(other, sortBy)));
	const page = jobs.slice(offset, limit === null ? undefined : offset + limit);
	return { jobs: page, pagination: { offset, limit, total: jobs.length, has_more: offset + page.length < jobs.length } };
}

const sortKey = (
	{ create_time: created = 0, execution_start_time: start = 0, execution_end_time: end = 0 }: EngineJob,
	sortBy: JobQuery['sortBy'],
): number => (sortBy === 'created_at' ? created : start > 0 && end > 0 ? end - start : 0);
