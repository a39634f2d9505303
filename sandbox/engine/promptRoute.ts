/** `POST /prompt`, as an engine reads it. */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { WorkflowRefusal, type EngineAnswer } from '../v1/errors';
import { isRecord, isTexts } from '../v1/values';
import { checkWorkflow } from '../v1/workflow';
import type { Service } from '../v2/service';
import type { LocalEngine } from './localEngine';

export function promptRoute(app: FastifyInstance, engine: LocalEngine, service: Service): void {
	app.post('/prompt', ({ body }, reply) => {
		if (!isRecord(body) || body.prompt === undefined) return reply.code(400).send(NO_PROMPT);
		try {
			const graph = checkWorkflow(service, body.prompt);
			const { prompt_id: id, client_id: clientId, extra_data: extraData, number, front, partial_execution_targets: targets } = body;
			return engine.submit(typeof id === 'string' ? id : randomUUID(), {
				graph,
				clientId: typeof clientId === 'string' ? clientId : undefined,
				extraData: isRecord(extraData) ? extraData : {},
				number: typeof number === 'number' ? number : undefined,
				front: front === true,
				targets: isTexts(targets) ? targets : undefined,
			});
		} catch (error) {
			if (!(error instanceof WorkflowRefusal)) throw error;
			return reply.code(400).send(error.answer);
		}
	});
}

const NO_PROMPT: EngineAnswer = {
	error: { type: 'no_prompt', message: 'No prompt provided', details: 'No prompt provided', extra_info: {} },
	node_errors: {},
};
