/** By part: a name that more than one of its files may export, and why. */
export type AllowedNames = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const MOST_ALLOWED_NAMES = 10;

export const ALLOWED_NAMES: AllowedNames = {
	nodes: {
		description: 'one in each operation, and in each node: its fields',
		settings: 'one in each operation: its parameters, read',
		execute: 'one in each operation',
		needsControl: 'in each operation that v2 does not offer',
		onStop: 'one in each operation that leaves something to do when the execution is stopped',
		onRunEnd: 'one in each operation that finishes all items together',
	},
};

export const MOST_ALLOWED_TYPES = 5;

/** Names of types that more than one file of `client/` and `nodes/` may declare, and why. */
export const ALLOWED_TYPES: Readonly<Record<string, string>> = {};
