/** A node has failed, in words. What the client met with is read from its facts, and of the words where there are none. */
export class NodeFailure extends Error {
	constructor(
		message: string,
		readonly description: string,
		readonly facts: Readonly<Record<string, unknown>>,
	) {
		super(message);
	}
}
