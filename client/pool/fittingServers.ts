import { throwIfStopped } from '../async/stoppableWait';
import { ApiError, NoFittingServerError } from '../errors/errors';
import { type Definitions, listClassNames } from '../graph/inputs/definitions';
import type { ApiGraph } from '../ports/job';
import type { CallOptions } from '../ports/jobService';
import { isRefusal } from '../contact/failures';
import { within } from '../async/delay';
import type { Outcome } from '../async/outcome';
import { findMisfits, hasPartnerNodes } from './findMisfits';
import { type PoolServer, QUICK_READ_MS } from './poolServer';

interface ServerDefinitions {
	server: PoolServer;
	read: Outcome<Definitions>;
}

/** Finds the servers that can run a graph, by their definitions of its classes. */
export class FittingServers {
	/** Servers that were found to have everything. */
	private readonly found = new Set<PoolServer>();

	constructor(
		private readonly servers: readonly PoolServer[],
		private readonly graph: ApiGraph,
		private readonly options: CallOptions & { hasFilesToPlace: boolean },
	) {}

	/**
	 * Returns the servers that respond and have everything that the graph uses. Adds those that do not respond to `failures`.
	 * @param failures servers that did not take the job, with the reason. They are left out.
	 * @param lost servers that may have the job. They are left out.
	 * @throws NoFittingServerError if servers respond, and none of them fits or has refused the job.
	 */
	async find(failures: Map<PoolServer, unknown>, lost: ReadonlySet<PoolServer>): Promise<PoolServer[]> {
		const defined: Array<{ server: PoolServer; address: string; definitions: Definitions }> = [];
		for (const { server, read } of await this.readDefinitions(this.servers.filter((one) => !failures.has(one) && !lost.has(one)))) {
			if (read.ok) defined.push({ server, address: server.address, definitions: read.value });
			else failures.set(server, read.error);
		}
		const isComplete = defined.length === this.servers.length;
		const misfits = findMisfits(this.graph, defined, { isComplete, hasFilesToPlace: this.options.hasFilesToPlace });
		const fitting = defined.map(({ server }) => server).filter(({ address }) => !misfits.has(address));
		for (const server of fitting) this.found.add(server);
		if (fitting.length > 0 || defined.length === 0) return fitting;
		if ([...failures].some(([server, error]) => this.found.has(server) && isRefusal(error))) return [];
		const silent = this.servers.filter((server) => !defined.some((one) => one.server === server) && !isRefusal(failures.get(server)));
		throw new NoFittingServerError(
			[...misfits.values()].flat(),
			silent.map(({ address }) => address),
		);
	}

	/** Whether a server responds, and none of those that respond knows a class of the graph as a partner node. */
	async hasNoPartnerNodes(): Promise<boolean> {
		const known = (await this.readDefinitions(this.servers)).flatMap(({ read }) => (read.ok ? [read.value] : []));
		return known.length > 0 && known.every((definitions) => !hasPartnerNodes(this.graph, definitions));
	}

	private async readDefinitions(servers: readonly PoolServer[]): Promise<ServerDefinitions[]> {
		const classes = listClassNames(this.graph);
		const areAllSilent = servers.every(({ failure }) => failure !== undefined);
		return await Promise.all(
			servers.map(async (server) => {
				const { failure } = server;
				const reading = server.definitionsOf(classes, this.options);
				const quick = failure === undefined || areAllSilent ? await reading : await within(QUICK_READ_MS, reading);
				throwIfStopped(this.options.signal);
				return { server, read: quick ?? { ok: false, error: failure } };
			}),
		);
	}
}

/** Whether the server understood the workflow and does not accept it. Another server may have other versions of its nodes. */
export const isWorkflowRejection = (error: unknown): boolean => error instanceof ApiError && error.code === 'invalid_workflow';
