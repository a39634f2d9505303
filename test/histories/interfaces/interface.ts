import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Behaviour, Sandbox } from '../../../sandbox';
import type { History, Range } from '../history';

/** What a node of a history asks for. */
export interface Asked {
	/** The code of the expression that gives an item's mark. No item of another history has it; equal items share it. */
	mark: string;
	input: History['input'];
	key: History['key'];
	/** How many items the node has in this execution. */
	items: number;
}

/** One thing that somebody pays for. */
export interface Bill {
	id: string;
	mark: string;
	value: number;
	key: string | undefined;
	/** Epoch milliseconds. */
	at: number;
	/** It was canceled before its end; undefined where the service does not keep that. */
	isCanceled?: boolean;
}

/** One submission as it came to the service. */
export interface Sent {
	mark: string;
	value: number;
	/** Undefined where the interface takes none. */
	key: string | undefined;
	/** When it came; epoch milliseconds. */
	at: number;
	/** Of its answer. Null if there was none. */
	status: number | null;
}

/** What an item has brought in the end. */
export interface Delivered {
	id: string;
	/** Where its files tell. */
	mark: string | undefined;
	/** Undefined if the item says that it could not be read. */
	value: number | undefined;
}

/** What has happened in a history. Times in epoch milliseconds. */
export interface Happened {
	history: History;
	/** The service gets an idempotency key with each submission. */
	sendsKeys: boolean;
	/** How often executions were stopped. */
	stops: number;
	/** How often n8n was killed during a run. */
	kills: number;
	/** When a try began without the record of what an earlier one had sent, or n8n was killed. */
	lostRecords: readonly number[];
	/** When a process of the service ended. */
	restarts: readonly number[];
	/** How many processes of n8n there were. */
	lives: number;
	/** Something was lost on the network, or of an execution. */
	isDisturbed: boolean;
	wasSetBack: boolean;
}

/** The outcome cannot be known: not delivered, reported as such, and billed at most once. */
export interface Unconfirmed {
	/** For the counts. */
	name: string;
	/** What the item says. */
	words: RegExp;
	/** Whether it may come to that. @param isBilled each item has a job that is paid for, and not canceled. */
	isFor(happened: Happened, isBilled: boolean): boolean;
}

/** A condition of docs/promises.md under which items have more or fewer jobs than they should have. */
export interface Condition {
	/** For the counts. */
	name: string;
	/** @param bills of the same mark. */
	isFor(happened: Happened, bills: readonly Bill[]): boolean;
}

/** A way to what runs things, as histories need it. */
export interface Interface {
	name: string;
	behaviour: Partial<Behaviour>;
	/** What differs between the servers of a pool; one entry for each. */
	servers?: ReadonlyArray<Partial<Behaviour>>;
	range: Range;
	node: { name: string; execute(execution: IExecuteFunctions): Promise<INodeExecutionData[][]> };
	/** It takes idempotency keys, which make double delivery harmless. */
	isKeyed: boolean;
	/** Method and path of what is billed. */
	submission: string;
	/** @param host by which the sandbox is reached. */
	credential(sandbox: Sandbox, host: string): { type: string; data: IDataObject };
	/** Of the node, as they are stored with the workflow. */
	parameters(asked: Asked): IDataObject;
	bills(sandbox: Sandbox): Bill[];
	/** What came whole. */
	sent(sandbox: Sandbox): Sent[];
	delivered(item: INodeExecutionData): Delivered;
	/** Others order so many of the same look, but for the value. */
	crowd(sandbox: Sandbox, jobs: number, mark: string): Promise<void>;
	/** What a new process of the service has forgotten is gone. */
	restart?(sandbox: Sandbox): void;
	/** So much time passes, as the service sees it, which goes by it. */
	pass?(sandbox: Sandbox, ms: number): void;
	/** Nothing runs, of anybody. */
	isIdle(sandbox: Sandbox): boolean;
	/** As if nothing had ever been. */
	clear(sandbox: Sandbox): Promise<void>;
	unconfirmed: readonly Unconfirmed[];
	conditions?: readonly Condition[];
}
