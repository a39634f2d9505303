import type { FastifyInstance } from 'fastify';
import { isRecord, isTexts } from '../records';
import { requireRecord } from './bodies';
import type { LocalEngine } from './localEngine';

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
		if (isTexts(ids)) for (const id of ids) engine.deletePending(id);
		return reply.send();
	});

	app.post('/interrupt', ({ body }, reply) => {
		const id = isRecord(body) ? body.prompt_id : undefined;
		engine.interrupt(typeof id === 'string' && id !== '' ? id : undefined);
		return reply.send();
	});
}
