/** `/userdata` and `/users`: the files that the editor keeps for each user, workflows among them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Behaviour } from '../behaviour';
import { type FoundFile, type UserFile, UserFiles, userPath } from '../storage/userFiles';
import { EngineFault, sendNoFile } from './answers';

interface UserdataParts {
	/** Of whoever asks. @throws EngineFault where a server of several users does not know who that is. */
	filesOf(request: FastifyRequest): UserFiles;
	behaviour: Behaviour;
}

type Query = Record<string, string | undefined>;
interface FileParams {
	file: string;
}

const isTrue = (word: string | undefined): boolean => word?.toLowerCase() === 'true';
const textAnswer = (reply: FastifyReply, status: number, text: string): FastifyReply =>
	reply.code(status).type('text/plain; charset=utf-8').send(text);
/** A status and nothing more. */
const bare = (reply: FastifyReply, status: number): FastifyReply => reply.code(status).removeHeader('content-type').send();

/** Newer versions write whole milliseconds, older ones seconds with a fraction. */
const momentIn = (milliseconds: number, { engineUserdataTimes }: Behaviour): number =>
	engineUserdataTimes === 'milliseconds' ? milliseconds : milliseconds / 1000;

export function engineUserdataRoutes(app: FastifyInstance, { filesOf, behaviour }: UserdataParts): void {
	const infoOf = (name: string, { bytes, modifiedAt }: UserFile) => {
		const moment = momentIn(modifiedAt, behaviour);
		return { path: name, size: bytes.length, modified: moment, created: moment };
	};
	const shown = (file: FoundFile, query: Query): unknown => {
		if (isTrue(query.full_info) && behaviour.engineUserdata !== 'names') return infoOf(file.path, file);
		return isTrue(query.split) ? [file.path, ...file.path.split('/')] : file.path;
	};

	app.get<{ Querystring: Query }>('/userdata', (request, reply) => {
		const { dir = '', recurse } = request.query;
		if (dir === '') return textAnswer(reply, 400, 'Directory not provided');
		const folder = userPath(dir);
		if (folder === undefined) return textAnswer(reply, 403, 'Invalid directory');
		const files = filesOf(request).list(folder, isTrue(recurse));
		return files === undefined
			? textAnswer(reply, 404, 'Directory not found')
			: reply.send(files.map((file) => shown(file, request.query)));
	});

	/** Something before the engine may have decoded the path on its way: then a step that holds a slash is two. */
	const stepIn = ({ file }: FileParams): string | undefined => {
		if (!behaviour.engineDecodedPaths) return file;
		return file.includes('/') ? undefined : decodeURIComponent(file);
	};

	app.addHook('onRequest', async (_request, reply) => (behaviour.engineUserdata === 'absent' ? await sendNoFile(reply) : undefined));

	app.get<{ Params: FileParams }>('/userdata/:file', (request, reply) => {
		const step = stepIn(request.params);
		if (step === undefined) return sendNoFile(reply);
		const name = userPath(step);
		const files = filesOf(request);
		if (name === undefined) return bare(reply, 403);
		files.makeFoldersOf(name);
		const file = files.read(name);
		if (file !== undefined) return reply.type(name.endsWith('.json') ? 'application/json' : 'application/octet-stream').send(file.bytes);
		return files.isFolder(name) ? reply.code(403).type('application/octet-stream').send() : bare(reply, 404);
	});

	void app.register((writing, _options, done) => {
		writing.removeAllContentTypeParsers();
		writing.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
		writing.post<{ Params: FileParams; Querystring: Query; Body: Buffer | null }>('/userdata/:file', (request, reply) => {
			const name = userPath(request.params.file);
			const files = filesOf(request);
			if (name === undefined) return bare(reply, 403);
			if (request.query.overwrite === 'false' && files.read(name) !== undefined) return textAnswer(reply, 409, 'File already exists');
			const file = files.write(name, request.body ?? Buffer.alloc(0));
			// A bare text would be sent as it is.
			return reply
				.type('application/json; charset=utf-8')
				.send(JSON.stringify(isTrue(request.query.full_info) ? infoOf(name, file) : name));
		});
		done();
	});

	app.delete<{ Params: FileParams }>('/userdata/:file', (request, reply) => {
		const name = userPath(request.params.file);
		if (name === undefined) return bare(reply, 403);
		return bare(reply, filesOf(request).remove(name) ? 204 : 404);
	});
}

const ONLY_USER = 'default';

export class EngineUsers {
	readonly #files = new Map<string, UserFiles>();

	constructor(private readonly behaviour: Behaviour) {}

	of(id = ONLY_USER): UserFiles {
		const files = this.#files.get(id) ?? new UserFiles();
		this.#files.set(id, files);
		return files;
	}

	/** @throws EngineFault for whoever is no user. */
	asking({ headers }: FastifyRequest): UserFiles {
		const { engineUsers } = this.behaviour;
		if (engineUsers === null) return this.of();
		const id = headers['comfy-user'] ?? ONLY_USER;
		if (typeof id !== 'string' || !Object.hasOwn(engineUsers, id)) throw new EngineFault();
		return this.of(id);
	}
}

/** Anybody is told who there is. */
export function usersRoute(app: FastifyInstance, behaviour: Behaviour): void {
	app.get('/users', () => ({
		storage: 'server',
		...(behaviour.engineUsers === null ? { migrated: true } : { users: behaviour.engineUsers }),
	}));
}
