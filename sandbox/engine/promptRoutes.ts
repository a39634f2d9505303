/** Submitting prompts, the queue, and the history of an engine. */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { nodeDefinition } from '../graphEngine/nodeClasses';
import { isRecord, isStringArray } from '../json';
import type { Service } from '../service/service';
import { type EngineErrorBody, EngineFault, requireRecord } from './answers';
import { checkPrompt, PromptRefusal } from './checkPrompt';
import type { LocalEngine } from './localEngine';
import type { Prompt } from './prompt';
import { replaceNodes } from './replaceNodes';

export function promptRoute(app: FastifyInstance, engine: LocalEngine, service: Service): void {
	app.post('/prompt', (request, reply) => {
		const body = requireRecord(request.body);
		const atFront = body.front === true && body.number === undefined;
		const number = engine.claimNumber() * (atFront ? -1 : 1);
		if (body.number !== undefined && Number.isNaN(Number(body.number))) throw new EngineFault();
		if (body.prompt === undefined) return reply.code(400).send(NO_PROMPT);
		const { prompt_id: askedId, client_id: clientId, extra_data: extraData, partial_execution_targets: wanted } = body;
		const id = askedId === undefined || service.behaviour.enginePromptIds === 'own' ? randomUUID() : String(askedId);
		try {
			const prompt = replaceNodes(body.prompt, service.behaviour.nodeReplacements ?? {}, isInstalled);
			const { graph, targets, nodeErrors } = checkPrompt(service, engine.files, prompt, isStringArray(wanted) ? wanted : undefined);
			engine.submit({
				id,
				graph,
				targets,
				number,
				atFront,
				clientId: typeof clientId === 'string' ? clientId : undefined,
				extraData: isRecord(extraData) ? extraData : {},
			});
			return { prompt_id: id, number, node_errors: nodeErrors };
		} catch (error) {
			if (!(error instanceof PromptRefusal)) throw error;
			return reply.code(400).send(error.answer);
		}
	});
}

const isInstalled = (className: unknown): boolean => typeof className === 'string' && nodeDefinition(className, []) !== undefined;

const NO_PROMPT: EngineErrorBody = {
	error: { type: 'no_prompt', message: 'No prompt provided', details: 'No prompt provided', extra_info: {} },
	node_errors: {},
};

/** Read the queue, delete from it, and interrupt what runs. */
export function engineQueueRoutes(app: FastifyInstance, engine: LocalEngine): void {
	app.get('/prompt', () => ({ exec_info: { queue_remaining: engine.remaining } }));

	app.get('/queue', () => ({
		queue_running: engine.running.map(({ queueEntry }) => queueEntry),
		queue_pending: engine.pending.map(({ queueEntry }) => queueEntry),
	}));

	app.post('/queue', ({ body }, reply) => {
		const { delete: ids, clear } = requireRecord(body);
		if (clear === true) engine.clearPending();
		if (isStringArray(ids)) for (const id of ids) engine.deletePending(id);
		return reply.send();
	});

	app.post('/interrupt', ({ body }, reply) => {
		const id = isRecord(body) ? body.prompt_id : undefined;
		engine.interrupt(typeof id === 'string' && id !== '' ? id : undefined);
		return reply.send();
	});
}

/** The history: finished prompts can be read and deleted. */
export function historyRoutes(app: FastifyInstance, engine: LocalEngine): void {
	app.get<{ Querystring: { max_items?: string; offset?: string } }>('/history', ({ query }) => {
		const [maxItems, offset] = [readNumber(query.max_items), readNumber(query.offset)];
		const all = engine.ended;
		const newest = maxItems === undefined ? 0 : Math.max(0, all.length - maxItems);
		const from = offset === undefined || offset < 0 ? newest : offset;
		return byId(all.slice(from, maxItems === undefined ? undefined : from + maxItems));
	});

	app.get<{ Params: { id: string } }>('/history/:id', ({ params }) => byId([engine.endedPrompt(params.id) ?? []].flat()));

	app.post('/history', ({ body }, reply) => {
		const { delete: ids, clear } = requireRecord(body);
		if (clear === true) engine.forgetAll();
		if (isStringArray(ids)) engine.forget(ids);
		return reply.send();
	});
}

const byId = (prompts: readonly Prompt[]): Record<string, unknown> =>
	Object.fromEntries(prompts.map((prompt) => [prompt.job.id, prompt.historyEntry]));

function readNumber(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	if (!/^-?\d+$/.test(text)) throw new EngineFault();
	return Number(text);
}
