export type Outcome<T> = { ok: true; value: T } | { ok: false; error: unknown };

/** Returns how a promise ended. Never rejects. */
export async function outcomeOf<T>(promise: Promise<T>): Promise<Outcome<T>> {
	try {
		return { ok: true, value: await promise };
	} catch (error) {
		return { ok: false, error };
	}
}

/** Returns the value of a success. @throws the error of a failure. */
export function valueOrThrow<T>(outcome: Outcome<T>): T {
	if (outcome.ok) return outcome.value;
	throw outcome.error;
}
