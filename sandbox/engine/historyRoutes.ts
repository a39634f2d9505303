import type { FastifyInstance } from 'fastify';
import { isTexts } from '../records';
import { requireRecord } from './bodies';
import { EngineFault } from './engineFault';
import type { LocalEngine } from './localEngine';
import type { Prompt } from './prompt';

/** What has ended: read it, forget it. */
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
		if (isTexts(ids)) engine.forget(ids);
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
