/** `/userdata` and `/users`: the files that the editor keeps for each user, workflows among them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Behaviour } from '../behaviour';
import { registerScope } from '../http/routes';
import { type FoundFile, type UserFile, UserFiles, userPath } from '../storage/userFiles';
import { EngineFault, sendNoFile } from './answers';

const ONLY_USER = 'default';

/** The files of each user. With `--multi-user`, a request names its user in a header. */
export class EngineUsers {
	readonly #files = new Map<string, UserFiles>();

	constructor(private readonly behaviour: Behaviour) {}

	of(id = ONLY_USER): UserFiles {
		const files = this.#files.get(id) ?? new UserFiles();
		this.#files.set(id, files);
		return files;
	}

	/** @throws EngineFault if the request names no known user. */
	filesFor({ headers }: FastifyRequest): UserFiles {
		const { engineUsers } = this.behaviour;
		if (engineUsers === null) return this.of();
		const id = headers['comfy-user'] ?? ONLY_USER;
		if (typeof id !== 'string' || !Object.hasOwn(engineUsers, id)) throw new EngineFault();
		return this.of(id);
	}
}

/** The list of users needs no user header. */
export function usersRoute(app: FastifyInstance, behaviour: Behaviour): void {
	app.get('/users', () => ({
		storage: 'server',
		...(behaviour.engineUsers === null ? { migrated: true } : { users: behaviour.engineUsers }),
	}));
}

type Query = Record<string, string | undefined>;
interface FileParams {
	file: string;
}

const isTrue = (word: string | undefined): boolean => word?.toLowerCase() === 'true';
const sendText = (reply: FastifyReply, status: number, text: string): FastifyReply =>
	reply.code(status).type('text/plain; charset=utf-8').send(text);
const sendStatus = (reply: FastifyReply, status: number): FastifyReply => reply.code(status).removeHeader('content-type').send();

export function engineUserdataRoutes(app: FastifyInstance, users: EngineUsers, behaviour: Behaviour): void {
	registerScope(app, '', (routes) => {
		routes.addHook('onRequest', async (_request, reply) => (behaviour.engineUserdata === 'absent' ? await sendNoFile(reply) : undefined));
		routes.removeAllContentTypeParsers();
		routes.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

		routes.get<{ Querystring: Query }>('/userdata', (request, reply) => {
			const { dir = '', recurse } = request.query;
			if (dir === '') return sendText(reply, 400, 'Directory not provided');
			const folder = userPath(dir);
			if (folder === undefined) return sendText(reply, 403, 'Invalid directory');
			const files = users.filesFor(request).list(folder, isTrue(recurse));
			if (files === undefined) return sendText(reply, 404, 'Directory not found');
			return reply.send(files.map((file) => presentFile(file, request.query, behaviour)));
		});

		routes.get<{ Params: FileParams }>('/userdata/:file', (request, reply) => {
			const segment = fileSegment(request.params, behaviour);
			if (segment === undefined) return sendNoFile(reply);
			const name = userPath(segment);
			const files = users.filesFor(request);
			if (name === undefined) return sendStatus(reply, 403);
			files.makeFoldersOf(name);
			const file = files.read(name);
			if (file !== undefined) return reply.type(name.endsWith('.json') ? 'application/json' : 'application/octet-stream').send(file.bytes);
			return files.isFolder(name) ? reply.code(403).type('application/octet-stream').send() : sendStatus(reply, 404);
		});

		routes.post<{ Params: FileParams; Querystring: Query; Body: Buffer | null }>('/userdata/:file', (request, reply) => {
			const name = userPath(request.params.file);
			const files = users.filesFor(request);
			if (name === undefined) return sendStatus(reply, 403);
			if (request.query.overwrite === 'false' && files.read(name) !== undefined) return sendText(reply, 409, 'File already exists');
			const file = files.write(name, request.body ?? Buffer.alloc(0));
			// Fastify would send a bare string without quotes.
			const body = JSON.stringify(isTrue(request.query.full_info) ? fileInfo(name, file, behaviour) : name);
			return reply.type('application/json; charset=utf-8').send(body);
		});

		routes.delete<{ Params: FileParams }>('/userdata/:file', (request, reply) => {
			const name = userPath(request.params.file);
			if (name === undefined) return sendStatus(reply, 403);
			return sendStatus(reply, users.filesFor(request).remove(name) ? 204 : 404);
		});
	});
}

function presentFile(file: FoundFile, query: Query, behaviour: Behaviour): unknown {
	if (isTrue(query.full_info) && behaviour.engineUserdata !== 'names') return fileInfo(file.path, file, behaviour);
	return isTrue(query.split) ? [file.path, ...file.path.split('/')] : file.path;
}

/** Newer versions write whole milliseconds, older ones seconds with a fraction. */
function fileInfo(path: string, { bytes, modifiedAt }: UserFile, { engineUserdataTimes }: Behaviour) {
	const time = engineUserdataTimes === 'milliseconds' ? modifiedAt : modifiedAt / 1000;
	return { path, size: bytes.length, modified: time, created: time };
}

/** If a reverse proxy decodes paths, a name with a slash becomes two segments, which match no route. */
function fileSegment({ file }: FileParams, { engineDecodedPaths }: Behaviour): string | undefined {
	if (!engineDecodedPaths) return file;
	return file.includes('/') ? undefined : decodeURIComponent(file);
}
