/** What an engine serves, each under `/` and under `/api`. It asks nobody for a key. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { readBodies } from '../http/bodies';
import { sendBlob } from '../http/sendBlob';
import type { OpenSockets } from '../socket/openSockets';
import { socketRoute } from '../socket/socketRoute';
import type { Service } from '../v2/service';
import type { LocalEngine } from './localEngine';
import { promptRoute } from './promptRoute';

const PREFIXES = ['', '/api'];

export function engineRoutes(app: FastifyInstance, engine: LocalEngine, service: Service, sockets: OpenSockets): void {
	readBodies(app, () => new SyntaxError('The body is not JSON'));
	for (const prefix of PREFIXES) {
		void app.register(
			(routes, _options, done) => {
				promptRoute(routes, engine, service);
				queueRoutes(routes, engine);
				historyRoutes(routes, engine);
				viewRoute(routes, engine, service);
				routes.get('/system_stats', () => SYSTEM_STATS);
				done();
			},
			{ prefix },
		);
	}
	socketRoute(app, PREFIXES.map((prefix) => `${prefix}/ws`), {
		surface: 'engine',
		sockets,
		keepAliveMs: () => service.behaviour.keepAliveMs,
		admit: () => 'local',
		refusePlain: (reply) => reply.code(400).type('text/plain').send('No WebSocket UPGRADE hdr'),
		onOpen: (connection) => engine.connect(connection),
	});
}

function queueRoutes(app: FastifyInstance, engine: LocalEngine): void {
	app.get('/prompt', () => ({ exec_info: { queue_remaining: engine.remaining } }));
	app.get('/queue', () => engine.queue);
	app.post<{ Body: { delete?: string[]; clear?: boolean } | undefined }>('/queue', (request, reply) => {
		const { delete: ids, clear } = request.body ?? {};
		if (clear === true) engine.deletePending();
		if (ids !== undefined) engine.deletePending(new Set(ids));
		return reply.send();
	});
	app.post<{ Body: { prompt_id?: string } | undefined }>('/interrupt', (request, reply) => {
		engine.interrupt(request.body?.prompt_id);
		return reply.send();
	});
}

function historyRoutes(app: FastifyInstance, engine: LocalEngine): void {
	app.get<{ Querystring: { max_items?: string } }>('/history', ({ query }) => engine.history(query.max_items === undefined ? undefined : Number(query.max_items)));
	app.get<{ Params: { id: string } }>('/history/:id', ({ params }) => engine.historyOf(params.id));
}

function viewRoute(app: FastifyInstance, engine: LocalEngine, { blobs }: Service): void {
	app.get<{ Querystring: { filename?: string; type?: string } }>('/view', (request, reply): FastifyReply => {
		const { filename, type = 'output' } = request.query;
		if (filename === undefined) return reply.code(400).send();
		const file = engine.files.find(type, filename);
		if (file === undefined) return reply.code(404).send();
		reply.header('content-disposition', `filename="${filename}"`);
		return sendBlob(request, reply, blobs, file.blob, file.contentType) ? reply : reply.code(416).send();
	});
}

const SYSTEM_STATS = {
	system: { os: 'sandbox', comfyui_version: '0.3.64', python_version: '', pytorch_version: '', embedded_python: false, argv: ['main.py'], ram_total: 0, ram_free: 0 },
	devices: [{ name: 'cpu', type: 'cpu', index: null, vram_total: 0, vram_free: 0, torch_vram_total: 0, torch_vram_free: 0 }],
};
