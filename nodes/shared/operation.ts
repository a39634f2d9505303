import type { IBinaryKeyData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Connection } from '../../client';
import type { ItemProgress } from './itemProgress';
import type { NamedCredential, ServiceCredential } from './credentials';
import type { ReadParameter } from './parameters';

export interface ItemContext<Settings, Link = Connection, Credential = ServiceCredential> {
	execution: IExecuteFunctions;
	itemIndex: number;
	settings: Settings;
	connection: Link;
	credential: Credential;
	/** Fires when the execution is stopped or times out. */
	signal: AbortSignal;
	/** Fires with `signal`, and when n8n is asked to stop: what only waits leaves off then, and cancels nothing. */
	leaving: AbortSignal;
	/** An AI agent called this node: it sees output 0 only. */
	isTool: boolean;
	progress: ItemProgress;
	/** What counts against *Concurrency* is over: the next item begins while this one goes on, saving its files for instance. */
	endTurn(): void;
}

/** Whether Comfy Run Workflow runs, as a node or as an agent's tool. */
export const isRunNode = (execution: IExecuteFunctions): boolean => /\.comfyRunWorkflow(Tool)?$/.test(execution.getNode().type);

export interface ItemResult {
	json: IDataObject;
	binary?: IBinaryKeyData;
	/** Index of the node's output; 0 when absent. */
	output?: number;
}

export interface Operation<Settings, Link = Connection, Credential = ServiceCredential> {
	/** v2 does not offer this: the account's v1 interface is used, or the engine itself, whatever the option *Interface* says. */
	needsControl?: true;
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

export interface Patience {
	signal: AbortSignal;
	/** How long requests are repeated while the server does not answer, in milliseconds. */
	waitForServerMs: number;
}

/** From the credential of an item to what its operation speaks to; one connection for each distinct credential. */
export interface Doors<Link, Credential extends NamedCredential> {
	/** @throws ItemFault when the item's credential does not lead to what the operation needs. */
	credentialOf(itemIndex: number, operation: Pick<Operation<never>, 'needsControl'>): Promise<Credential>;
	/** @param patience how long to wait for a server that is still starting. */
	open(credential: Credential, patience: Patience): Promise<Link>;
	close(): Promise<void>;
}

/** n8n has been asked to stop: nothing new is sent, what waits leaves off, and what is under way has a little time. */
export const isLeft = ({ leaving, signal }: Pick<ItemContext<unknown>, 'leaving' | 'signal'>): boolean =>
	leaving.aborted && !signal.aborted;
