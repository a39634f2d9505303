/** `POST /prompt`, as an engine reads it. */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { EngineAnswer } from './engineAnswer';
import { isRecord, isTexts } from '../records';
import type { Service } from '../service/service';
import { requireRecord } from './bodies';
import { checkPrompt, PromptRefusal } from './checkPrompt';
import { EngineFault } from './engineFault';
import type { LocalEngine } from './localEngine';

export function promptRoute(app: FastifyInstance, engine: LocalEngine, service: Service): void {
	app.post('/prompt', (request, reply) => {
		const body = requireRecord(request.body);
		const number = numberOf(body, engine);
		if (body.prompt === undefined) return reply.code(400).send(NO_PROMPT);
		const { prompt_id: askedId, client_id: clientId, extra_data: extraData, partial_execution_targets: wanted } = body;
		const id = askedId === undefined || service.behaviour.enginePromptIds === 'own' ? randomUUID() : String(askedId);
		try {
			const { graph, targets, nodeErrors } = checkPrompt(service, engine.files, body.prompt, isTexts(wanted) ? wanted : undefined);
			engine.submit({
				id,
				graph,
				targets,
				number,
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

function numberOf({ number, front }: Record<string, unknown>, engine: LocalEngine): number {
	if (number === undefined) {
		const own = engine.takeNumber();
		return front === true ? -own : own;
	}
	if ((typeof number !== 'number' && typeof number !== 'string') || Number.isNaN(Number(number))) throw new EngineFault();
	return Number(number);
}

const NO_PROMPT: EngineAnswer = {
	error: { type: 'no_prompt', message: 'No prompt provided', details: 'No prompt provided', extra_info: {} },
	node_errors: {},
};
