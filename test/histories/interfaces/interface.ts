import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Behaviour, Sandbox } from '../../../sandbox';
import type { History, Range } from '../history';

/** What one item of a history asks for, as it stands at one run of the node. */
export interface Asked {
	/** No item of another history has it; equal items share it. */
	mark: string;
	/** What the item's expression gives now; the same at each run for a fixed input. */
	value: number;
	input: History['input'];
	/** How many items the node has. */
	items: number;
}

/** One thing that somebody pays for. */
export interface Bill {
	id: string;
	mark: string;
	value: number;
	key: string | undefined;
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
	value: number;
}

/** If the outcome cannot be known: not delivered, reported as such, and billed at most once. */
export interface Doubt {
	/** For the counts. */
	name: string;
	/** What the person reads. */
	words: RegExp;
	/** Whether it may come to that in such a history. @param isBilled each item has a job that is paid for, and not canceled. */
	isFor(history: History, isBilled: boolean): boolean;
}

/** Where a job may be paid for twice all the same: nothing that the interface keeps tells of the first. */
export interface Limit {
	/** For the counts. */
	name: string;
	isFor(history: History): boolean;
}

/** A way to what runs things, as histories need it. */
export interface Interface {
	name: string;
	behaviour: Partial<Behaviour>;
	/** What differs between the servers of a pool; one entry for each. */
	servers?: ReadonlyArray<Partial<Behaviour>>;
	range: Range;
	node: { name: string; execute(execution: IExecuteFunctions): Promise<INodeExecutionData[][]> };
	/** Method and path of what is billed. */
	submission: string;
	/** @param host by which the sandbox is reached. */
	credential(sandbox: Sandbox, host: string): { type: string; data: IDataObject };
	/** Of the node. */
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
	doubts: readonly Doubt[];
	limits?: readonly Limit[];
}
