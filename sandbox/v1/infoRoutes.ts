/** The node classes of the service, their replacements, and its templates: the sandbox has none. */
import type { FastifyInstance } from 'fastify';
import { nodeDefinition, nodeDefinitions } from '../graphEngine/nodeClasses';
import type { Service } from '../service/service';
import { unknown } from './refusals';

export function v1InfoRoutes(app: FastifyInstance, { assets, behaviour }: Service): void {
	app.get('/object_info', ({ account }) => nodeDefinitions(assets.uploadNames(account)));

	app.get<{ Params: { name: string } }>('/object_info/:name', ({ account, params: { name } }) => {
		const definition = nodeDefinition(name, assets.uploadNames(account));
		if (definition === undefined) throw unknown('node class');
		return { [name]: definition };
	});

	app.get('/features', () => ({ node_replacements: behaviour.nodeReplacements !== null }));
	app.get('/node_replacements', () => {
		if (behaviour.nodeReplacements === null) throw unknown('route');
		return behaviour.nodeReplacements;
	});

	app.get('/workflow_templates', () => ({}));
}
