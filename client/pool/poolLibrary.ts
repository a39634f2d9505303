import { isNotFound } from '../errors/errors';
import { firstOfEach, type JsonRecord } from '../json/decode';
import type { CallOptions } from '../ports/jobService';
import type { SavedWorkflow, WorkflowLibrary, WorkflowTemplate } from '../ports/library';
import { askEach, askFirst, type PoolServer } from './poolServer';

/** The workflows that are saved on any of the servers. Of two with the same path or name, that of the first server is used. */
export class PoolLibrary implements WorkflowLibrary {
	readonly interface = 'engine';

	constructor(private readonly servers: readonly PoolServer[]) {}

	async list(options?: CallOptions): Promise<SavedWorkflow[]> {
		const lists = await askEach(this.servers, async ({ library }) => await library.list(options), options);
		return firstOfEach(lists.flat(), ({ path }) => path);
	}

	async read(path: string, options?: CallOptions): Promise<JsonRecord> {
		return (await askFirst(this.servers, async ({ library }) => await library.read(path, options), isNotFound, options)).value;
	}

	async templates(options?: CallOptions): Promise<WorkflowTemplate[]> {
		const lists = await askEach(this.servers, async ({ library }) => await library.templates(options), options);
		return firstOfEach(lists.flat(), ({ name }) => name);
	}

	async template(name: string, options?: CallOptions): Promise<JsonRecord> {
		return (await askFirst(this.servers, async ({ library }) => await library.template(name, options), isNotFound, options)).value;
	}

	async savedBlueprints(options?: CallOptions): Promise<WorkflowTemplate[]> {
		const lists = await askEach(this.servers, async ({ library }) => await library.savedBlueprints(options), options);
		return firstOfEach(lists.flat(), ({ name }) => name);
	}

	async blueprints(options?: CallOptions): Promise<WorkflowTemplate[]> {
		const lists = await askEach(this.servers, async ({ library }) => await library.blueprints(options), options);
		return firstOfEach(lists.flat(), ({ name }) => name);
	}

	async blueprint(name: string, options?: CallOptions): Promise<JsonRecord> {
		return (await askFirst(this.servers, async ({ library }) => await library.blueprint(name, options), isNotFound, options)).value;
	}
}
