/** What the service says about itself, and what it offers for building workflows. The sandbox has no templates, subgraphs or models. */
import type { FastifyInstance } from 'fastify';
import { nodeDefinition, nodeDefinitions } from '../graphEngine/nodeClasses';
import type { AccountName } from '../vocabulary';
import type { Service } from '../service/service';
import { invalid, unknown } from './refusals';
import { UPLOAD_LIMIT_BYTES } from './uploadRoutes';
import { findFile } from './files';

const GIB = 1024 ** 3;

export function v1InfoRoutes(app: FastifyInstance, { assets }: Service): void {
	const files = (account: AccountName): string[] => assets.uploadNames(account);

	app.get('/object_info', ({ account }) => nodeDefinitions(files(account)));

	app.get<{ Params: { name: string } }>('/object_info/:name', ({ account, params: { name } }) => {
		const definition = nodeDefinition(name, files(account));
		if (definition === undefined) throw unknown('node class');
		return { [name]: definition };
	});

	app.get('/user', () => ({ status: 'active' }));
}

/** Routes that need no key, according to the official documents. */
export function publicInfoRoutes(app: FastifyInstance): void {
	app.get('/system_stats', () => ({
		system: {
			os: 'posix',
			python_version: '3.12.0',
			embedded_python: false,
			comfyui_version: '0.3.64',
			pytorch_version: '2.8.0',
			argv: [],
			ram_total: 16 * GIB,
			ram_free: 8 * GIB,
		},
		devices: [{ name: 'sandbox', type: 'cpu', index: 0, vram_total: 0, vram_free: 0, torch_vram_total: 0, torch_vram_free: 0 }],
	}));

	app.get('/features', () => ({ supports_preview_metadata: true, max_upload_size: UPLOAD_LIMIT_BYTES }));
}

/** Folders of models, all empty. */
const MODEL_FOLDERS = ['checkpoints', 'loras', 'vae'];

/** Routes that need no key, according to the official documents. */
export function publicCatalogRoutes(app: FastifyInstance): void {
	app.get('/workflow_templates', () => ({}));
	app.get('/global_subgraphs', () => ({}));
	app.get('/global_subgraphs/:id', () => {
		throw unknown('subgraph');
	});
	app.get('/experiment/models', () => MODEL_FOLDERS.map((name) => ({ name, folders: [name] })));
	app.get('/experiment/models/:folder', () => {
		throw unknown('model in this folder');
	});
	app.get('/experiment/models/preview/:folder/:index/:name', () => {
		throw unknown('preview');
	});
}

export function maskLayerRoute(app: FastifyInstance, service: Service): void {
	app.get<{ Querystring: { filename?: string } }>('/files/mask-layers', ({ account, query: { filename } }) => {
		if (filename === undefined) throw invalid('filename is required');
		if (findFile(service, account, filename) === undefined) throw unknown('file');
		return { mask: filename, paint: null, painted: null, painted_masked: null };
	});
}
