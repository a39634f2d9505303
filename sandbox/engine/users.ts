/** Whose files: the one user's, or with `--multi-user` those of whoever says who he is. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Behaviour } from '../behaviour';
import { EngineFault } from './engineFault';
import { UserFiles } from '../store/userFiles';

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
