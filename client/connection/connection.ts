import type { ApiLimits } from '../requests/serviceApi';
import type { AssetMasks, AssetRecords, AssetStore } from '../ports/files';
import { notImplemented } from '../errors/errors';
import type { InterfaceName } from '../ports/job';
import type { CallOptions, JobFeed, JobService } from '../ports/jobService';
import type { WorkflowLibrary } from '../ports/library';
import type { ServerClasses, ServerControl } from '../ports/serverControl';
import type { EngineJobs, EngineRecords, ServerMaintenance, ServerRecords } from '../ports/server';
import type { OutboundNetwork } from '../transport/outboundNetwork';
import type { ServerContact } from '../contact/serverContact';

/** The settings of a connection, and what it offers. */
export interface ConnectSettings {
	interface: InterfaceName;
	/** As entered by the user. A slash or `/api/v2` at the end is allowed. */
	baseUrl: string;
	/** API key or bearer token. It is sent only to the origin of `baseUrl`, and never to an engine. */
	token?: string;
	/** The whole Authorization header, for a reverse proxy in front of an engine. */
	authorization?: string;
	/**
	 * More headers, for a reverse proxy or a tunnel in front of the server. Names in lower case. They go with every request
	 * and every WebSocket to the origin of `baseUrl`, and to no other origin. `token` and `authorization` override them.
	 */
	headers?: Readonly<Record<string, string>>;
	/**
	 * Rewrites the service's links to the origin of `baseUrl`. A proxy behind a TLS front returns links with the wrong
	 * origin.
	 */
	keepLinksOnBaseOrigin?: boolean;
	/** False accepts any certificate. */
	rejectUnauthorized?: boolean;
	outboundNetwork?: OutboundNetwork;
	/** How long one read is retried, in milliseconds. Default: 30,000. */
	readBudgetMs?: number;
	/** Limits all retries while the server does not answer. Without it, only `readBudgetMs` applies. */
	contact?: ServerContact;
	/**
	 * The address of the account's v1 interface. If a v2 service has no job list, an unconfirmed submission is searched
	 * there.
	 */
	hostedUrl?: string;
	/** Other time limits, in milliseconds. */
	limits?: Partial<Omit<ApiLimits, 'readBudgetMs'>>;
}

export interface FoundService {
	interface: InterfaceName;
	/** Null if the service does not report it. */
	version: string | null;
}

interface AnyConnection {
	jobs: JobService;
	assets: AssetStore;
	/** On v1, engines and pools. */
	control?: ServerClasses;
	/** The events of all jobs of the account or engine. Not on v2 and pools. */
	feed?: JobFeed;
	/** On engines, and on services that pass their routes through. */
	library?: WorkflowLibrary;
	/**
	 * Sends one request to check that the service answers and accepts the key.
	 * @returns which service it is.
	 * @throws ApiError for a wrong key; UnreadableAnswerError if something else answers; ConnectionError.
	 */
	verifyAccess(options?: CallOptions): Promise<FoundService>;
	/** Ends all running requests and events. */
	close(): Promise<void>;
}

export interface ServiceConnection extends AnyConnection {
	readonly interface: 'v2' | 'v1';
	control?: ServerControl;
}

export interface EngineConnection extends AnyConnection {
	readonly interface: 'engine';
	jobs: EngineJobs;
	control: ServerControl;
	library: WorkflowLibrary;
	/** The queued, running and finished jobs. */
	records: EngineRecords;
	maintenance: ServerMaintenance;
}

/** Several engines that work as one. What concerns one server alone is on the connection of its member. */
export interface PoolConnection extends AnyConnection {
	readonly interface: 'engine';
	control: ServerClasses;
	records: ServerRecords;
	maintenance: Pick<ServerMaintenance, 'modelFolders'>;
	members: readonly PoolMember[];
}

/** One server of a pool. */
export interface PoolMember {
	/** Its address as items and messages name it: origin and path, without a slash at the end. */
	readonly address: string;
	/** Returns the connection to this server alone. @throws ConnectionError if it does not respond; otherwise as `findServer`. */
	open(options?: CallOptions): Promise<EngineConnection>;
}

/** A connection to one service or server. */
export type ServerConnection = ServiceConnection | EngineConnection;

export type Connection = ServerConnection | PoolConnection;

type AssetConnection = Pick<Connection, 'interface' | 'assets'>;

const INTERFACE_TITLE: Record<InterfaceName, string> = { v2: 'The v2 interface', v1: 'The v1 interface', engine: 'An engine' };

/**
 * Returns the asset records of a connection.
 * @throws ApiError `not_implemented` if the interface knows files only by name.
 */
export function assetRecords({ interface: name, assets: { records } }: AssetConnection): AssetRecords {
	if (records !== undefined) return records;
	throw notImplemented(name, `${INTERFACE_TITLE[name]} knows files by their names only; asset records and hashes are v2’s`);
}

/**
 * Returns the masks of a connection.
 * @throws ApiError `not_implemented` if the interface has none.
 */
export function assetMasks({ interface: name, assets: { masks } }: AssetConnection): AssetMasks {
	if (masks !== undefined) return masks;
	throw notImplemented(name, `${INTERFACE_TITLE[name]} has no masks`);
}
