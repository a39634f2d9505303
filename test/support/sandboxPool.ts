import { type Behaviour, type FaultHandle, type FaultRule, type Ledger, type Sandbox, startSandbox } from '../../sandbox';

/** How long a server that restarts refuses connections. Real milliseconds. */
const RESTART_MS = 40;

/** A time (epoch milliseconds) at which the engine of a server has lost its jobs. */
export interface Restart {
	server: number;
	at: number;
}

/** A time during which a server refused connections. `to` is undefined while it does. Epoch milliseconds. */
export interface Outage {
	server: number;
	from: number;
	to?: number;
}

/**
 * Several sandboxes whose engines are the servers of one pool. As one `Sandbox`, it shows and controls all of them. The ports stay open:
 * while a server is not reachable, the caller has to refuse the connections, because a closed port may be taken by others.
 */
export interface SandboxPool extends Sandbox {
	readonly members: readonly Sandbox[];
	readonly restarts: readonly Restart[];
	readonly outages: readonly Outage[];
	/** Returns the server whose engine listens on this port; undefined if there is none. */
	serverAt(port: number): number | undefined;
	portOf(server: number): number;
	isReachable(server: number): boolean;
	/** The server refuses connections for so many real milliseconds, or until `reconnect`. Its jobs continue. */
	disconnect(server: number, ms: number): void;
	reconnect(server: number): void;
	/** The server loses its jobs, and refuses connections for a moment. */
	restart(server: number): void;
}

export const isSandboxPool = (sandbox: Sandbox): sandbox is SandboxPool => 'members' in sandbox;

export const membersOf = (sandbox: Sandbox): readonly Sandbox[] => (isSandboxPool(sandbox) ? sandbox.members : [sandbox]);

/** @param behaviours what differs between the servers; one entry for each. `configure` keeps it. */
export async function startSandboxPool(
	behaviours: ReadonlyArray<Partial<Behaviour>>,
	shared: Partial<Behaviour> = {},
): Promise<SandboxPool> {
	const members = await Promise.all(behaviours.map(async (own) => await startSandbox({ ...shared, ...own })));
	return new Pool(members, behaviours).asSandbox();
}

class Pool {
	private readonly restarts: Restart[] = [];
	private readonly outages: Outage[] = [];
	/** What makes a server unreachable. */
	private readonly disconnected = new Map<number, NodeJS.Timeout>();
	private readonly restarting = new Map<number, NodeJS.Timeout>();

	constructor(
		private readonly members: readonly Sandbox[],
		private readonly behaviours: ReadonlyArray<Partial<Behaviour>>,
	) {}

	asSandbox(): SandboxPool {
		const { members } = this;
		const [first] = members;
		if (first === undefined) throw new Error('A pool has at least one server');
		const ports = members.map(({ urls }) => Number(new URL(urls.engine).port));
		return Object.defineProperty(
			{
				...first,
				members,
				restarts: this.restarts,
				outages: this.outages,
				serverAt: (port: number) => (ports.includes(port) ? ports.indexOf(port) : undefined),
				portOf: (server: number) => ports[server],
				isReachable: (server: number) => this.isReachable(server),
				disconnect: (server: number, ms: number) => this.disconnect(server, ms),
				reconnect: (server: number) => this.reconnect(server),
				restart: (server: number) => this.restart(server),
				inject: (rule: FaultRule) => this.inject(rule),
				clearFaults: () => members.forEach((member) => member.clearFaults()),
				requests: (...wanted: Parameters<Sandbox['requests']>) =>
					members.flatMap((member) => member.requests(...wanted)).sort((one, other) => one.at - other.at),
				resetRecords: () => {
					for (const member of members) member.resetRecords();
					this.restarts.length = 0;
					this.outages.length = 0;
				},
				configure: (behaviour: Partial<Behaviour>) =>
					members.forEach((member, index) => member.configure({ ...behaviour, ...this.behaviours[index] })),
				forgetJobs: (...surface: Parameters<Sandbox['forgetJobs']>) => members.forEach((member) => member.forgetJobs(...surface)),
				job: (jobId: string) => members.map((member) => member.job(jobId)).find((job) => job !== undefined),
				jobs: (...surface: Parameters<Sandbox['jobs']>) => members.flatMap((member) => member.jobs(...surface)),
				close: async () => {
					for (const timer of [...this.restarting.values(), ...this.disconnected.values()]) clearTimeout(timer);
					await Promise.all(members.map(async (member) => await member.close()));
				},
			},
			'ledger',
			{ get: () => this.ledger, enumerable: true },
		) as SandboxPool;
	}

	/** The entries of all ledgers, in a new object. */
	private get ledger(): Ledger {
		const merged = this.members.flatMap(({ ledger }) => Object.entries(ledger) as Array<[keyof Ledger, unknown[]]>);
		const all: Partial<Record<keyof Ledger, unknown[]>> = {};
		for (const [name, entries] of merged) all[name] = [...(all[name] ?? []), ...entries];
		return all as Ledger;
	}

	/** The rule applies to the first matching requests of all servers together. */
	private inject(rule: FaultRule): FaultHandle {
		const handles: FaultHandle[] = [];
		const usedBy = (of: readonly FaultHandle[]): number => of.reduce((sum, { used }) => sum + used, 0);
		for (const [index, member] of this.members.entries()) {
			const times = (): number => (rule.times ?? 1) - usedBy(handles.filter((_, other) => other !== index));
			handles.push(member.inject(Object.defineProperty({ ...rule }, 'times', { get: times })));
		}
		return {
			get used() {
				return usedBy(handles);
			},
			remove: () => handles.forEach((handle) => handle.remove()),
		};
	}

	private isReachable(server: number): boolean {
		return !this.disconnected.has(server) && !this.restarting.has(server);
	}

	private disconnect(server: number, ms: number): void {
		clearTimeout(this.disconnected.get(server));
		this.disconnected.set(
			server,
			setTimeout(() => this.reconnect(server), ms),
		);
		this.noteOutage(server);
	}

	private reconnect(server: number): void {
		clearTimeout(this.disconnected.get(server));
		this.disconnected.delete(server);
		this.endRestart(server);
	}

	private restart(server: number): void {
		clearTimeout(this.restarting.get(server));
		this.restarting.set(
			server,
			setTimeout(() => this.endRestart(server), RESTART_MS),
		);
		this.noteOutage(server);
		this.members[server]?.restartEngine();
		this.restarts.push({ server, at: Date.now() });
	}

	private endRestart(server: number): void {
		clearTimeout(this.restarting.get(server));
		this.restarting.delete(server);
		if (!this.isReachable(server)) return;
		for (const outage of this.outages) if (outage.server === server) outage.to ??= Date.now();
	}

	private noteOutage(server: number): void {
		if (this.outages.some((one) => one.server === server && one.to === undefined)) return;
		this.outages.push({ server, from: Date.now() });
	}
}

/** Forgets what was run, billed and requested, on each server. */
export function forgetBills(sandbox: Sandbox): void {
	for (const { ledger } of membersOf(sandbox)) {
		ledger.runs.length = 0;
		ledger.cancels.length = 0;
		ledger.executedNodes.length = 0;
		ledger.routerRuns.length = 0;
	}
	sandbox.resetRecords();
}
