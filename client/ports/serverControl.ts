import type { JsonRecord } from '../json/decode';
import type { CallOptions, JobQueue } from './jobService';

/** How an input of a new class gets its value: from an input of the retired class, or a fixed value. */
export type InputMapping = { to: string; from: string } | { to: string; value: unknown };

/** The class that replaces a retired class. Inputs and outputs without a mapping keep their names and positions. */
export interface NodeReplacement {
	newClass: string;
	/** The names of the widgets of the retired class, in the order in which files have their values. */
	oldWidgets?: string[];
	/** The new node has no other inputs than these. */
	inputs?: InputMapping[];
	/** The positions of outputs. Other outputs keep theirs. */
	outputs?: Array<{ to: number; from: number }>;
}

/** By retired class. */
export type NodeReplacements = Record<string, NodeReplacement>;

/** What a server says about its node classes. */
export interface ServerClasses {
	/**
	 * Returns the definition of each class by its name. If `classes` is set, only these are needed; the result may
	 * contain more.
	 */
	nodeDefinitions(options?: CallOptions & { classes?: readonly string[] }): Promise<Record<string, JsonRecord>>;
	/** Returns the replacements of retired classes. Empty for a server that reports none, as ComfyUI before 0.14. */
	nodeReplacements(options?: CallOptions): Promise<NodeReplacements>;
}

/** What v1 and engines offer in addition to jobs: one queue for all users, and all node classes. */
export interface ServerControl extends ServerClasses {
	queue(options?: CallOptions): Promise<JobQueue>;
	/** Removes jobs from the queue. Some services also stop running ones. */
	deleteFromQueue(jobIds: string[], options?: CallOptions): Promise<void>;
	/** Stops **every** running job of the account or the engine. */
	interrupt(options?: CallOptions): Promise<void>;
}
