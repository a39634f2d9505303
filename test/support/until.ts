/** A loaded machine takes its time. */
export const PATIENCE_MS = 60_000;

/** Waits until something has come true, looking every 5 ms. */
export async function until(isSo: () => boolean, withinMs = PATIENCE_MS): Promise<void> {
	const deadline = performance.now() + withinMs;
	while (!isSo()) {
		if (performance.now() > deadline) throw new Error(`It did not come true within ${withinMs} ms: ${isSo.toString()}`);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}
