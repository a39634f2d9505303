import type { IBinaryKeyData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Connection, ConnectSettings } from '../../client';

/** How long a stop may take to cancel a job in the service. */
export const STOP_LIMIT_MS = 5_000;

/** Reads one parameter of the item at hand. */
export type ReadParameter = <T>(name: string, fallback?: T) => T;

export interface ItemContext<Settings, Link = Connection, Credential = ServiceCredential> {
	execution: IExecuteFunctions;
	itemIndex: number;
	settings: Settings;
	connection: Link;
	credential: Credential;
	/** Fires when the execution is stopped or times out. */
	signal: AbortSignal;
	/** An AI agent called this node: it sees output 0 only. */
	isTool: boolean;
	/** What is already known of this item, kept in its failure: a job that exists must not be lost. */
	known: IDataObject;
	/** Ids of jobs that were submitted here, or that the service has told of: one that was only entered may not exist. */
	existing: Set<string>;
	/** What counts against *Concurrency* is over: the next item begins while this one goes on, saving its files for instance. */
	endTurn(): void;
}

export interface ItemResult {
	json: IDataObject;
	binary?: IBinaryKeyData;
	/** Index of the node's output; 0 when absent. */
	output?: number;
}

export interface Operation<Settings, Link = Connection, Credential = ServiceCredential> {
	/** v2 does not offer this: the account's v1 interface is used, or the engine itself, whatever the option *Interface* says. */
	beyondV2?: true;
	/** How long to wait for a server that is still starting, in milliseconds; a read's own patience when absent. */
	patienceMs?(settings: Settings): number;
	/** Parameters of one item, as one plain object. @param isTool as in ItemContext. */
	settings(read: ReadParameter, isTool: boolean): Settings;
	execute(context: ItemContext<Settings, Link, Credential>): Promise<ItemResult | ItemResult[]>;
	/** Looks at all items before the first request is sent; throws ItemFault to refuse. */
	checkItems?(readItems: ReadParameter[]): void;
	/**
	 * What to do for an item when the execution has been stopped and nothing runs any more.
	 * @param wasStarted whether `execute` was called for it.
	 */
	onStop?(context: ItemContext<Settings, Link, Credential>, wasStarted: boolean): Promise<void>;
	/** How to go on when the node has failed and jobs exist all the same. */
	existingJobsAdvice?: string;
}

/** What the option *Interface* offers. */
export type ChosenInterface = ConnectSettings['interface'] | 'automatic';

/** What messages say of a credential, and what they must not. */
export interface NamedCredential {
	/** Its name on screen. */
	displayName: string;
	/** The label of its secret field. */
	secretLabel: 'API Key' | 'Token' | 'JWT' | 'Engine Authorization';
	/** The address in use. */
	baseUrl: string;
	rejectUnauthorized: boolean;
	/** The label of the field that holds it. */
	addressLabel: 'Address' | 'Base URL' | 'Hosted URL' | 'Engine Address' | 'Router URL';
	/** Where else a server is looked for: the field *Engine Address*. Empty for nowhere. */
	engineUrl?: string;
	/** What the option *Interface* says. */
	interface?: ChosenInterface;
	/** A server of the user's own, bare or behind the proxy. */
	isOwnServer?: boolean;
	/** The proxy will not do. */
	needsEngine?: boolean;
	token: string;
	partnerKey: string;
	/** The Authorization header for a reverse proxy in front of an engine. */
	authorization?: string;
}

export interface Patience {
	signal: AbortSignal;
	milliseconds?: number;
}

/** From the credential of an item to what its operation speaks to; one connection for each distinct credential. */
export interface Doors<Link, Credential extends NamedCredential> {
	/** @throws ItemFault when the item's credential does not lead to what the operation needs. */
	credentialOf(itemIndex: number, operation: Pick<Operation<never>, 'beyondV2'>): Promise<Credential>;
	/** @param patience how long to wait for a server that is still starting. */
	with(credential: Credential, patience: Patience): Promise<Link>;
	close(): Promise<void>;
}

/** A credential as the nodes use it, whatever its type. */
export interface ServiceCredential extends NamedCredential {
	/** The one to speak. */
	interface: ChosenInterface;
	baseUrl: string;
	/** Where else an engine may be, for `automatic`; empty for nowhere. */
	engineUrl: string;
	/** For `automatic`: the proxy will not do. */
	needsEngine: boolean;
	/** Where the account's v1 interface is; empty where there is none. */
	hostedUrl: string;
	keepLinksOnBaseOrigin: boolean;
	rejectUnauthorized: boolean;
	partnerKeyField: string;
}

/** Something the user can mend, found before or beside the service: already in words. */
export class ItemFault extends Error {
	constructor(
		message: string,
		/** How to go on. */
		readonly advice: string,
		/** The item it belongs to, where it is not the one at hand. */
		readonly itemIndex?: number,
	) {
		super(message);
	}
}

/** A field without a value: an expression found nothing in the item. */
export class EmptyField extends ItemFault {}
