/** A server with just enough of a ComfyUI for its frontend. */
import { createReadStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, sep } from 'node:path';
import { WebSocketServer } from 'ws';

const MIME_TYPES: Record<string, string> = {
	'.html': 'text/html',
	'.js': 'text/javascript',
	'.mjs': 'text/javascript',
	'.css': 'text/css',
	'.json': 'application/json',
	'.svg': 'image/svg+xml',
	'.png': 'image/png',
	'.webp': 'image/webp',
	'.woff2': 'font/woff2',
	'.woff': 'font/woff',
	'.ttf': 'font/ttf',
	'.wasm': 'application/wasm',
	'.ico': 'image/x-icon',
};

/** What the frontend requests before it shows a graph. Everything else under `/api` is 404. */
const ANSWERS: Record<string, unknown> = {
	'/system_stats': {
		system: {
			os: 'linux',
			comfyui_version: '0.33.0',
			python_version: '3.12',
			pytorch_version: '2',
			embedded_python: false,
			argv: [],
			ram_total: 1,
			ram_free: 1,
		},
		devices: [],
	},
	'/users': { storage: 'server', migrated: true },
	'/settings': {
		'Comfy.TutorialCompleted': true,
		'Comfy.Workflow.ShowMissingNodesWarning': false,
		'Comfy.Workflow.ShowMissingModelsWarning': false,
	},
	'/prompt': { exec_info: { queue_remaining: 0 } },
	'/queue': { queue_running: [], queue_pending: [] },
	'/jobs': { jobs: [], pagination: { offset: 0, limit: 0, total: 0, has_more: false } },
	'/assets': { assets: [], total: 0, has_more: false },
	'/extensions': [],
	'/features': {},
	'/history': {},
	'/i18n': {},
	'/global_subgraphs': {},
	'/workflow_templates': {},
	'/node_replacements': {},
	'/embeddings': [],
	'/experiment/models': [],
	'/models': [],
	'/userdata': [],
};

interface Served {
	/** Built files of the frontend. */
	frontend: string;
	definitions: unknown;
}

const fileUnder = (folder: string, path: string): string | undefined => {
	const file = join(folder, normalize(path));
	return file.startsWith(folder + sep) && statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
};

function sendJson(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { 'content-type': 'application/json' });
	response.end(JSON.stringify(body));
}

function answer(served: Served, request: IncomingMessage, response: ServerResponse): void {
	const path = decodeURIComponent(new URL(request.url ?? '/', 'http://local').pathname);
	const route = path.replace(/^\/api(?=\/)/, '');
	request.resume();
	if (request.method !== 'GET') return sendJson(response, 200, {});
	if (route === '/object_info') return sendJson(response, 200, served.definitions);
	if (route.startsWith('/settings/')) return sendJson(response, 200, null);
	if (Object.hasOwn(ANSWERS, route)) return sendJson(response, 200, ANSWERS[route]);
	const file = path.startsWith('/api/') ? undefined : fileUnder(served.frontend, path === '/' ? 'index.html' : path);
	if (file === undefined) return sendJson(response, 404, {});
	response.writeHead(200, { 'content-type': MIME_TYPES[extname(file)] ?? 'application/octet-stream' });
	createReadStream(file).pipe(response);
}

/** Just enough of a ComfyUI for its frontend to load, and to draw and export graphs. */
export async function serve(served: Served): Promise<{ address: string; close: () => void }> {
	const server = createServer((request, response) => answer(served, request, response));
	// The frontend waits for the first message of its socket.
	const status = { type: 'status', data: { status: { exec_info: { queue_remaining: 0 } }, sid: 'oracle' } };
	new WebSocketServer({ server }).on('connection', (socket) => socket.send(JSON.stringify(status)));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		address: `http://127.0.0.1:${port}`,
		close: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}
