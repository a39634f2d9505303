const PATIENCE_MS = 5_000;

/** Waits until something has come to be. */
export async function eventually(isSo: () => boolean): Promise<void> {
	const deadline = Date.now() + PATIENCE_MS;
	while (!isSo()) {
		if (Date.now() > deadline) throw new Error(`It never came to be: ${isSo.toString()}`);
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}
