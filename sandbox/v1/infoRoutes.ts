/** What the service says of itself. */
import type { FastifyInstance } from 'fastify';
import { nodeDefinition, nodeDefinitions } from '../graphEngine';
import type { AccountName } from '../vocabulary';
import type { Service } from '../service/service';
import { unknown } from './refusals';
import { UPLOAD_LIMIT_BYTES } from './uploads/receivePicture';

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

/** Without a key, by the official documents. */
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
