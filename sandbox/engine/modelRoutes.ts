/** Which files a server's loaders find, folder by folder. */
import type { FastifyInstance } from 'fastify';
import { CHECKPOINTS } from '../graphEngine/classes/models';

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

export function modelRoutes(app: FastifyInstance): void {
	app.get('/models', () => Object.keys(FOLDERS));
	app.get<{ Params: { folder: string } }>('/models/:folder', ({ params: { folder } }, reply) =>
		Object.hasOwn(FOLDERS, folder) ? reply.send(FOLDERS[folder]) : reply.code(404).send(),
	);
}
