/** What an engine serves, each route under `/` and under `/api`. It needs no key. */
import type { FastifyInstance } from 'fastify';
import type { OpenSockets } from '../socket/connections';
import { registerScope } from '../http/routes';
import { socketRoute } from '../socket/socketRoute';
import type { Service } from '../service/service';
import type { Behaviour } from '../behaviour';
import { nodeDefinition, nodeDefinitions } from '../graphEngine/nodeClasses';
import { CHECKPOINTS } from '../graphEngine/classes/textToImage';
import { setErrorAnswers, parseEngineBodies } from './answers';
import { engineQueueRoutes, historyRoutes, promptRoute } from './promptRoutes';
import { engineJobRoutes } from './jobRoutes';
import type { LocalEngine } from './localEngine';
import { packTemplateRoutes, templateRoutes } from './templates';
import { engineUploadRoutes, engineViewRoute } from './fileRoutes';
import { engineUserdataRoutes, type EngineUsers, usersRoute } from './userdataRoutes';

const PREFIXES = ['', '/api'];

interface EngineParts {
	engine: LocalEngine;
	service: Service;
	sockets: OpenSockets;
	users: EngineUsers;
	/** The path prefix of all routes; may be empty. */
	mount: string;
}

export function engineRoutes(app: FastifyInstance, { engine, service, sockets, users, mount }: EngineParts): void {
	const { behaviour, blobs } = service;
	const prefixes = PREFIXES.map((prefix) => mount + prefix);
	requireAuthorization(app, behaviour);
	parseEngineBodies(app);
	setErrorAnswers(app);
	for (const prefix of prefixes) {
		registerScope(app, prefix, (routes) => {
			promptRoute(routes, engine, service);
			engineQueueRoutes(routes, engine);
			historyRoutes(routes, engine);
			engineViewRoute(routes, engine, blobs);
			engineUploadRoutes(routes, engine, service);
			engineInfoRoutes(routes, engine, behaviour);
			engineJobRoutes(routes, engine, behaviour);
			modelRoutes(routes);
			packTemplateRoutes(routes, behaviour);
			usersRoute(routes, behaviour);
			engineUserdataRoutes(routes, users, behaviour);
		});
	}
	templateRoutes(app, behaviour, mount);
	app.get(`${mount}/`, (_request, reply) =>
		reply.type('text/html').send('<!DOCTYPE html><html><head><title>ComfyUI</title></head><body></body></html>'),
	);
	socketRoute(
		app,
		prefixes.map((prefix) => `${prefix}/ws`),
		{
			surface: 'engine',
			sockets,
			keepAliveMs: () => behaviour.keepAliveMs,
			authorize: () => 'local',
			refusePlain: (reply) => reply.code(400).type('text/plain').send('No WebSocket UPGRADE hdr'),
			onOpen: (connection) => engine.connect(connection),
		},
	);
}

const LOGIN_PAGE =
	'<!DOCTYPE html><html><head><title>401 Authorization Required</title></head><body><h1>401 Authorization Required</h1><p>nginx</p></body></html>';

/** A reverse proxy in front of the engine that requires a password, for all requests and upgrades. */
function requireAuthorization(app: FastifyInstance, behaviour: Behaviour): void {
	app.addHook('onRequest', async ({ headers }, reply) => {
		const { engineAuthorization } = behaviour;
		if (engineAuthorization === null || headers.authorization === engineAuthorization) return undefined;
		return await reply.code(401).header('www-authenticate', 'Basic realm="ComfyUI"').type('text/html; charset=utf-8').send(LOGIN_PAGE);
	});
}

function engineInfoRoutes(app: FastifyInstance, engine: LocalEngine, behaviour: Behaviour): void {
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

/** An older engine does not know its version if it runs from a folder without git history. */
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

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
	checkpoints: CHECKPOINTS,
	configs: [],
	loras: [],
	vae: [],
	text_encoders: [],
	diffusion_models: [],
	controlnet: [],
	upscale_models: [],
};

function modelRoutes(app: FastifyInstance): void {
	app.get('/models', () => Object.keys(FOLDERS));
	app.get<{ Params: { folder: string } }>('/models/:folder', ({ params: { folder } }, reply) =>
		Object.hasOwn(FOLDERS, folder) ? reply.send(FOLDERS[folder]) : reply.code(404).send(),
	);
}
