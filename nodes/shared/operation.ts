import type { IBinaryKeyData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Connection } from '../../client';
import type { NamedCredential, ServiceCredential } from './credentials';
import type { ItemProgress } from './itemProgress';
import type { ReadParameter } from './parameters';

/** One item of a run of a node. The item loop makes it once, and each step of the operation passes it on as it is. */
export interface ItemRun<ConnectionType = Connection, Credential = ServiceCredential> {
	execution: IExecuteFunctions;
	itemIndex: number;
	connection: ConnectionType;
	credential: Credential;
	/** Fires when the execution is stopped or times out. */
	signal: AbortSignal;
	/** Fires with `signal`, and when n8n is asked to stop. Work that only waits ends then, and cancels nothing. */
	shutdownSignal: AbortSignal;
	/** Whether an AI agent called this node. The agent sees output 0 only. */
	isTool: boolean;
	progress: ItemProgress;
	/** Ends the part of the work that *Concurrency* limits. The next item begins while this one continues, for example to save files. */
	endTurn(): void;
}

/** Whether the node is Comfy Run Workflow, as a node or as an agent's tool. */
export const isRunNode = (execution: IExecuteFunctions): boolean => /\.comfyRunWorkflow(Tool)?$/.test(execution.getNode().type);

export interface StartedItem<Settings, ConnectionType = Connection, Credential = ServiceCredential> {
	item: ItemRun<ConnectionType, Credential>;
	settings: Settings;
}

export interface ItemResult {
	json: IDataObject;
	binary?: IBinaryKeyData;
	/** Index of the node's output. The default is 0. */
	output?: number;
}

export interface Operation<Settings, ConnectionType = Connection, Credential = ServiceCredential> {
	/** v2 does not offer this operation. It uses the account's v1 interface or the engine, with each value of the option *Interface*. */
	needsControl?: true;
	/** Reads the parameters of one item into a plain object. @param isTool as in ItemRun. */
	settings(read: ReadParameter, isTool: boolean): Settings;
	execute(item: ItemRun<ConnectionType, Credential>, settings: Settings): Promise<ItemResult | ItemResult[]>;
	/** Checks all items before the first request. @throws ItemFault if they do not go together. */
	checkItems?(readItems: ReadParameter[]): void;
	/**
	 * Runs for each item after the execution was stopped and all running work has ended.
	 * @param wasStarted whether `execute` was called for the item.
	 */
	onStop?(item: ItemRun<ConnectionType, Credential>, settings: Settings, wasStarted: boolean): Promise<void>;
	/**
	 * Runs once after all items have ended, failed or been stopped, while the connections are still open. It does not run while
	 * n8n shuts down.
	 * @param items that were started and had a connection.
	 */
	onRunEnd?(items: Array<StartedItem<Settings, ConnectionType, Credential>>): Promise<void>;
	/** What to do if the node fails although jobs exist. */
	existingJobsAdvice?: string;
}

export interface OpenLimits {
	signal: AbortSignal;
	/** How long requests are repeated while the server does not answer or is still starting, in milliseconds. */
	waitForServerMs: number;
	/** The same when the server has our work. Infinity: no limit. */
	lostAfterMs: number;
}

/** Opens connections for items: one for each distinct credential. */
export interface ConnectionProvider<ConnectionType, Credential extends NamedCredential> {
	/** @throws ItemFault if the item's credential does not offer what the operation needs. */
	readCredential(itemIndex: number, operation: Pick<Operation<never>, 'needsControl'>): Promise<Credential>;
	open(credential: Credential, limits: OpenLimits): Promise<ConnectionType>;
	close(): Promise<void>;
}

/** Whether n8n shuts down. Nothing new is sent then, waits end, and running requests get a short time to finish. */
export const isShuttingDown = ({ shutdownSignal, signal }: Pick<ItemRun, 'shutdownSignal' | 'signal'>): boolean =>
	shutdownSignal.aborted && !signal.aborted;
