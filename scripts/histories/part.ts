import type { Counts } from '../../test/histories/counts';
import type { Failed } from '../../test/histories/runHistories';

/** What one of the processes is to do: histories of an interface, drawn from a seed of its own. */
export interface Part {
	interface: string;
	seed: number;
	histories: number;
	path?: string;
}

export interface PartDone {
	part: Part;
	counts: Counts;
	failed?: Failed;
}
