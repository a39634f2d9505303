/** What the hosted service offers for building workflows. The sandbox has no templates, no subgraphs and no models; some routes need no key. */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../service/service';
import { findFile } from './files';
import { invalid, unknown } from './refusals';

/** Folders of models, all empty. */
const MODEL_FOLDERS = ['checkpoints', 'loras', 'vae'];

/** Routes of the official documents without any security. */
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
