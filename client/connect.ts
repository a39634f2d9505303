import type { ApiLimits } from './api';
import { connectEngine } from './engine/connect';
import type { EngineControl } from './engine/control';
import type { EngineReader } from './engine/reader';
import type { InterfaceName } from './job';
import type { AssetStore, CallOptions, JobFeed, JobService, ServerControl } from './services';
import type { Egress } from './transport/egress';
import { connectV1 } from './v1/connect';
import { connectV2 } from './v2/connect';

export interface ConnectSettings {
	interface: InterfaceName;
	/** As pasted: a slash or `/api/v2` at the end is fine. */
	baseUrl: string;
	/** API key or bearer token; sent to the origin of `baseUrl` only, and to no engine. */
	token?: string;
	/** The whole value of the Authorization header, for a reverse proxy in front of an engine. */
	authorization?: string;
	/** Puts the service's own links on the origin of `baseUrl`: for a proxy behind a TLS front, which writes wrong ones. */
	keepLinksOnBaseOrigin?: boolean;
	/** False accepts any certificate. */
	rejectUnauthorized?: boolean;
	egress?: Egress;
	/** How long one read is retried, in milliseconds (30,000). */
	readBudgetMs?: number;
	/** Where the account's v1 interface is: v2 looks there for jobs whose answer was lost, if it lists none itself. */
	hostedUrl?: string;
	/** Other time limits, in milliseconds. */
	limits?: Partial<Omit<ApiLimits, 'readBudgetMs'>>;
}

export interface FoundService {
	interface: InterfaceName;
	/** Null where the service does not say. */
	version: string | null;
}

interface AnyConnection {
	jobs: JobService;
	assets: AssetStore;
	/** On v1 and on engines. */
	control?: ServerControl;
	/** All jobs of the account or the engine; not on v2. */
	feed?: JobFeed;
	/**
	 * Asks the service once whether it is there and accepts the key. @returns what it is.
	 * @throws ApiError for a wrong key; UnreadableAnswerError when something else answers; ConnectionError.
	 */
	verifyAccess(options?: CallOptions): Promise<FoundService>;
	/** Ends whatever is still running. */
	close(): Promise<void>;
}

export interface ServiceConnection extends AnyConnection {
	readonly interface: 'v2' | 'v1';
}

export interface EngineConnection extends AnyConnection {
	readonly interface: 'engine';
	control: EngineControl;
	feed: JobFeed;
	reader: EngineReader;
}

export type Connection = ServiceConnection | EngineConnection;

/**
 * Prepares the way to a service; sends nothing yet.
 * @throws ConnectionError `invalid_address` for an unusable base URL; ApiError `unauthorized` for an unusable key.
 */
export const connect = (settings: ConnectSettings): Connection => CONNECTORS[settings.interface](settings);

const CONNECTORS: Record<ConnectSettings['interface'], (settings: ConnectSettings) => Connection> = {
	v2: connectV2,
	v1: connectV1,
	engine: connectEngine,
};
