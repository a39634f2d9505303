/** Blueprints, in the shape of the real list, but with subgraphs of the sandbox. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Behaviour } from '../behaviour';
import { blueprintFile } from '../service/blueprintFile';
import { sendNoFile } from './answers';

const BLUEPRINTS = [
	{ source: 'templates', name: 'Colour Picture', info: { node_pack: 'default', includeOnDistributions: ['local', 'desktop'] } },
	{ source: 'custom_node', name: 'Saved Colour', info: { node_pack: 'custom_nodes.sandbox-colours' }, savesInside: true },
].map(({ savesInside, ...listed }) => ({ listed, data: JSON.stringify(blueprintFile(listed.name, { savesInside })) }));

type Blueprint = (typeof BLUEPRINTS)[number];

/** ComfyUI derives the ID from the path of the file on its disk, so each server has its own IDs. */
const idOf = ({ listed: { source, name } }: Blueprint, port: number | undefined): string =>
	createHash('sha256').update(`${source}/srv/comfyui-${port}/blueprints/${name}.json`).digest('hex');

export function blueprintRoutes(app: FastifyInstance, behaviour: Behaviour): void {
	app.get('/global_subgraphs', ({ socket: { localPort } }, reply) =>
		behaviour.engineBlueprints === 'absent'
			? sendNoFile(reply)
			: Object.fromEntries(BLUEPRINTS.map((blueprint) => [idOf(blueprint, localPort), blueprint.listed])),
	);

	app.get<{ Params: { id: string } }>('/global_subgraphs/:id', ({ params: { id }, socket: { localPort } }, reply) => {
		if (behaviour.engineBlueprints === 'absent') return sendNoFile(reply);
		const found = BLUEPRINTS.find((blueprint) => idOf(blueprint, localPort) === id);
		// Fastify would send nothing for null.
		return reply
			.type('application/json; charset=utf-8')
			.send(JSON.stringify(found === undefined ? null : { ...found.listed, data: found.data }));
	});
}
