/** Rules whose breach would cost money or lose something: their tests are shown to fail when they are broken. */
export interface Mutation {
	rule: string;
	/** Names the promise of docs/promises.md that falls with it. */
	promise?: string;
	file: string;
	from: string;
	to: string;
	suite: string;
	/** Part of the names of its tests. */
	test: string;
}
