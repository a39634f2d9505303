/** Waits until something has come true, looking every 5 ms. */
export async function until(isSo: () => boolean, withinMs = 10_000): Promise<void> {
	const deadline = performance.now() + withinMs;
	while (!isSo()) {
		if (performance.now() > deadline) throw new Error(`It did not come true within ${withinMs} ms: ${isSo.toString()}`);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}
