/** What an engine says about itself: node classes, versions, devices and model files. It can also free its memory. */
import type { FastifyInstance } from 'fastify';
import type { Behaviour } from '../behaviour';
import { nodeDefinition, nodeDefinitions } from '../graphEngine/nodeClasses';
import { UPSCALE_MODELS } from '../graphEngine/classes/images';
import { CHECKPOINTS, LORAS } from '../graphEngine/classes/textToImage';
import type { Service } from '../service/service';
import { requireRecord, sendNoFile, sendText } from './answers';
import type { LocalEngine } from './localEngine';
import { DEVICE_BYTES, MODEL_BYTES } from './modelMemory';

/** Seconds since 1970. */
const MODELS_SINCE = 1_760_000_000.5;

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
	checkpoints: CHECKPOINTS,
	configs: [],
	loras: LORAS,
	vae: [],
	text_encoders: [],
	diffusion_models: [],
	controlnet: [],
	upscale_models: UPSCALE_MODELS,
};

export function serverRoutes(app: FastifyInstance, engine: LocalEngine, { behaviour }: Service): void {
	const { files } = engine;
	app.get('/object_info', () => nodeDefinitions(files.inputNames));

	app.get<{ Params: { name: string } }>('/object_info/:name', ({ params: { name } }) => {
		const definition = nodeDefinition(name, files.inputNames);
		return definition === undefined ? {} : { [name]: definition };
	});

	app.get('/system_stats', () => systemStats(behaviour, engine));
	app.get('/features', () => engine.features);
	app.get('/node_replacements', (_request, reply) => behaviour.nodeReplacements ?? sendNoFile(reply));
	modelRoutes(app, behaviour);

	app.post('/free', ({ body }, reply) => {
		if (behaviour.engineFree === 'absent') return sendText(reply.header('allow', 'GET,HEAD'), 405);
		const { unload_models: models, free_memory: caches } = requireRecord(body);
		engine.free({ models: models === true, caches: caches === true });
		return reply.send();
	});
}

export function logRoute(app: FastifyInstance, engine: LocalEngine, behaviour: Behaviour): void {
	app.get('/logs/raw', (_request, reply) =>
		behaviour.engineLog === 'absent' ? sendNoFile(reply) : reply.send({ entries: engine.log, size: { cols: 80, rows: 24 } }),
	);
}

/** An older engine does not know its version if it runs from a folder without git history. */
function systemStats({ enginePromptIds, engineDevice }: Behaviour, engine: LocalEngine) {
	const { free } = engine.memory;
	const isGpu = engineDevice === 'cuda';
	return {
		system: {
			os: 'sandbox',
			comfyui_version: enginePromptIds === 'own' ? 'unknown' : '0.3.64',
			python_version: '3.12.3',
			pytorch_version: '2.8.0',
			embedded_python: false,
			argv: ['main.py', '--listen'],
			ram_total: DEVICE_BYTES,
			ram_free: free,
		},
		devices: [
			{
				name: isGpu ? 'cuda:0 Sandbox GPU' : 'cpu',
				type: engineDevice,
				index: isGpu ? 0 : null,
				vram_total: DEVICE_BYTES,
				vram_free: free,
				torch_vram_total: DEVICE_BYTES,
				torch_vram_free: free,
			},
		],
	};
}

function modelRoutes(app: FastifyInstance, behaviour: Behaviour): void {
	const folders = (): Readonly<Record<string, readonly string[]>> => behaviour.engineModels ?? FOLDERS;
	const filesOf = (folder: string): readonly string[] | undefined => (Object.hasOwn(folders(), folder) ? folders()[folder] : undefined);

	app.get('/models', () => Object.keys(folders()));
	app.get<{ Params: { folder: string } }>('/models/:folder', ({ params: { folder } }, reply) => {
		const names = filesOf(folder);
		return names === undefined ? reply.code(404).send() : reply.send(names);
	});
	app.get<{ Params: { folder: string } }>('/experiment/models/:folder', ({ params: { folder } }, reply) => {
		if (behaviour.engineModelDetails === 'absent') return sendNoFile(reply);
		const names = filesOf(folder);
		if (names === undefined) return reply.code(404).send();
		return reply.send(
			names.map((name, index) => ({ name, pathIndex: 0, modified: MODELS_SINCE + index, created: MODELS_SINCE, size: MODEL_BYTES })),
		);
	});
	app.get('/embeddings', () => []);
}
