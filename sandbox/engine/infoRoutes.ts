/** What an engine says of itself. */
import type { FastifyInstance } from 'fastify';
import { nodeDefinition, nodeDefinitions } from '../graphEngine';
import type { Behaviour } from '../behaviour';
import type { LocalEngine } from './localEngine';

export function engineInfoRoutes(app: FastifyInstance, engine: LocalEngine, behaviour: Behaviour): void {
	const { files } = engine;
	app.get('/object_info', () => nodeDefinitions(files.inputNames));

	app.get<{ Params: { name: string } }>('/object_info/:name', ({ params: { name } }) => {
		const definition = nodeDefinition(name, files.inputNames);
		return definition === undefined ? {} : { [name]: definition };
	});

	app.get('/system_stats', () => systemStats(behaviour));
	app.get('/features', () => engine.features);
	app.get('/embeddings', () => []);
}

/** An older engine that runs from a folder without its history of versions does not know its own. */
const systemStats = ({ enginePromptIds }: Behaviour) => ({
	system: {
		os: 'sandbox',
		comfyui_version: enginePromptIds === 'own' ? 'unknown' : '0.3.64',
		python_version: '',
		pytorch_version: '',
		embedded_python: false,
		argv: ['main.py'],
		ram_total: 0,
		ram_free: 0,
	},
	devices: [{ name: 'cpu', type: 'cpu', index: null, vram_total: 0, vram_free: 0, torch_vram_total: 0, torch_vram_free: 0 }],
});
