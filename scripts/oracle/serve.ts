/** A server with just enough of a ComfyUI for its frontend, with the scripts of some packs. */
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, sep } from 'node:path';
import { WebSocketServer } from 'ws';
import { projectRoot } from '../n8nHost/environment';

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
		'Use Everywhere.Options.always_modify_graph': true,
	},
	'/prompt': { exec_info: { queue_remaining: 0 } },
	'/queue': { queue_running: [], queue_pending: [] },
	'/jobs': { jobs: [], pagination: { offset: 0, limit: 0, total: 0, has_more: false } },
	'/assets': { assets: [], total: 0, has_more: false },
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
	/** Folders of scripts that extend the frontend, by the path under which it looks for them. */
	folders: Map<string, string>;
	/** Those that it loads. */
	scripts: string[];
	/** What a pack's own server would write into its scripts. */
	written: Map<string, string>;
}

const fileUnder = (folder: string, path: string): string | undefined => {
	const file = join(folder, normalize(path));
	return file.startsWith(folder + sep) && statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
};

function fileOf({ frontend, folders }: Served, path: string): string | undefined {
	for (const [start, folder] of folders) if (path.startsWith(`${start}/`)) return fileUnder(folder, path.slice(start.length));
	return fileUnder(frontend, path === '/' ? 'index.html' : path);
}

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
	if (route === '/extensions') return sendJson(response, 200, served.scripts);
	if (route.startsWith('/settings/')) return sendJson(response, 200, null);
	if (Object.hasOwn(ANSWERS, route)) return sendJson(response, 200, ANSWERS[route]);
	const written = served.written.get(path);
	if (written !== undefined) return void response.writeHead(200, { 'content-type': MIME_TYPES['.js'] }).end(written);
	const file = path.startsWith('/api/') ? undefined : fileOf(served, path);
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

/** A pack of nodes whose own scripts run in the frontend. They are run, and no file of them is kept here. */
interface Pack {
	repository: string;
	commit: string;
	/** Folder of its scripts → where the frontend finds it; the first is what it loads. */
	served: Array<[folder: string, path: string]>;
}

const VIDEO_HELPER: Pack = {
	repository: 'Kosinkadink/ComfyUI-VideoHelperSuite',
	commit: '4ee72c065db22c9d96c2427954dc69e7b908444b',
	served: [['web', '/extensions/ComfyUI-VideoHelperSuite']],
};
const RGTHREE: Pack = {
	repository: 'rgthree/rgthree-comfy',
	commit: '13b4399c00b5ef5a97b1b6800fc1185874740f5d',
	served: [
		['web/comfyui', '/extensions/rgthree-comfy'],
		['web/common', '/rgthree/common'],
	],
};
const CUSTOM_SCRIPTS: Pack = {
	repository: 'pythongosssss/ComfyUI-Custom-Scripts',
	commit: '609f3afaa74b2f88ef9ce8d939626065e3247469',
	served: [['web', '/extensions/ComfyUI-Custom-Scripts']],
};
const KJ_NODES: Pack = {
	repository: 'kijai/ComfyUI-KJNodes',
	commit: '3f20054214fec9f9234fd3841ae6f1e4287948f6',
	served: [['web', '/extensions/ComfyUI-KJNodes']],
};
const MTB: Pack = {
	repository: 'melMass/comfy_mtb',
	commit: 'eabe43db79112d4e3674db343c5c184145e8396c',
	served: [['web', '/extensions/comfy_mtb']],
};
const RMBG: Pack = {
	repository: '1038lab/ComfyUI-RMBG',
	commit: '58f1947a11567a9f8b707223185570850e773856',
	served: [['web', '/extensions/ComfyUI-RMBG']],
};
const USE_EVERYWHERE: Pack = {
	repository: 'chrisgoringe/cg-use-everywhere',
	commit: 'a3952a4480a07fc3df03ec8be315dfcd11bd5135',
	served: [['js', '/extensions/cg-use-everywhere']],
};

/** By topic of graphs, the packs whose scripts run. Scripts of some packs break those of others. */
const PACKS_OF_TOPIC: ReadonlyMap<string, Pack[]> = new Map([
	['packs', [VIDEO_HELPER, RGTHREE, CUSTOM_SCRIPTS, KJ_NODES]],
	['pack-widgets', [VIDEO_HELPER, KJ_NODES, MTB, RMBG]],
	['everywhere', [USE_EVERYWHERE]],
]);

const packsOf = (topic: string): Pack[] => PACKS_OF_TOPIC.get(topic) ?? [];

const cloneOf = ({ repository }: Pack): string => join(projectRoot, '.cache/oracle/packs', repository.split('/')[1] ?? '');

/** What to do if packs of a topic are missing; undefined if they exist. */
export function missingPacks(topic: string): string | undefined {
	const missing = packsOf(topic).filter((pack) => !existsSync(cloneOf(pack)));
	return missing.length === 0
		? undefined
		: missing.map((pack) => `${pack.repository} at ${pack.commit.slice(0, 7)} in ${cloneOf(pack)}`).join(', ');
}

export interface Scripts {
	/** Path under which a folder is served → the folder. */
	folders: Map<string, string>;
	scripts: string[];
	written: Map<string, string>;
}

const scriptsIn = (folder: string, path: string): string[] =>
	readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.js'))
		.map((name) => `${path}/${name.replaceAll(sep, '/')}`);

/** The scripts of the packs of a topic. */
export function packScripts(topic: string): Scripts {
	const packs = packsOf(topic);
	const folders = new Map(
		packs.flatMap((pack) => pack.served.map(([folder, path]): [string, string] => [path, join(cloneOf(pack), folder)])),
	);
	const scripts = packs.flatMap((pack) =>
		pack.served.slice(0, 1).flatMap(([folder, path]) => scriptsIn(join(cloneOf(pack), folder), path)),
	);
	return {
		folders,
		scripts,
		written: new Map([['/rgthree/config.js', 'export const rgthreeConfig = { nodes: { reroute: { fast_reroute: {} } } };']]),
	};
}
