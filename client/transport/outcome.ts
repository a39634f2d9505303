export type Outcome<T> = { ok: true; value: T } | { ok: false; error: unknown };

/** How a promise ended, as a value. */
export async function outcomeOf<T>(promise: Promise<T>): Promise<Outcome<T>> {
	try {
		return { ok: true, value: await promise };
	} catch (error) {
		return { ok: false, error };
	}
}
