/** `/userdata` of an account, as the hosted service documents it: `split` and `full_info` have no effect, and errors are plain text. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { registerScope } from '../http/routes';
import { type UserFile, userPath } from '../storage/userFiles';
import type { Service } from '../service/service';

const text = (reply: FastifyReply, status: number, words: string): FastifyReply => reply.code(status).type('text/plain').send(words);
const infoOf = (path: string, { bytes, modifiedAt }: UserFile) => ({ path, size: bytes.length, modified: modifiedAt / 1000 });

interface FileParams {
	file: string;
}

export function v1UserdataRoutes(app: FastifyInstance, { behaviour, userFiles }: Service): void {
	registerScope(app, '', (routes) => {
		routes.addHook('onRequest', async (_request, reply) =>
			behaviour.v1Userdata === 'absent' ? await text(reply, 404, 'File not found or invalid path') : undefined,
		);

		routes.get<{ Querystring: { dir?: string; recurse?: string } }>('/userdata', ({ account, query: { dir = '', recurse } }, reply) => {
			const folder = userPath(dir);
			if (dir === '' || folder === undefined) return text(reply, 400, 'Invalid directory');
			return reply.send((userFiles[account].list(folder, recurse === 'true') ?? []).map((file) => infoOf(file.path, file)));
		});

		routes.get<{ Params: FileParams }>('/userdata/:file', ({ account, params: { file } }, reply) => {
			const name = userPath(file);
			if (name === undefined) return text(reply, 400, 'Invalid filename');
			const found = userFiles[account].read(name);
			return found === undefined
				? text(reply, 404, 'File not found or invalid path')
				: reply.type('application/octet-stream').send(found.bytes);
		});
	});
}
