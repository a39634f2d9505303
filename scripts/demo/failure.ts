/** Something a person should read: what happened, then what to do. */
export class DemoFailure extends Error {
	constructor(
		message: string,
		readonly advice: string,
	) {
		super(message);
	}
}

/** Runs one part of the demo; what goes wrong in it is reported under its name. */
export async function part<T>(name: string, advice: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof DemoFailure) throw error;
		throw new DemoFailure(`${name} failed: ${error instanceof Error ? error.message : String(error)}`, advice);
	}
}
