/** What is told to connect, and what a connection offers. */
import type { ApiLimits } from './api';
import type { InterfaceName } from './job';
import type { AssetStore, CallOptions, EngineRecords, JobFeed, JobService, ServerControl, WorkflowLibrary } from './ports';
import type { Egress } from './transport/egress';
import type { ServerContact } from './transport/serverContact';

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
	/** Limits how long everything is retried while the server does not answer. Without it only `readBudgetMs` counts. */
	contact?: ServerContact;
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
	/** On engines, and on whatever passes their routes through. */
	library?: WorkflowLibrary;
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
	control: ServerControl;
	/** Of jobs that wait, run or have ended. */
	records: EngineRecords;
	feed: JobFeed;
}

export type Connection = ServiceConnection | EngineConnection;
