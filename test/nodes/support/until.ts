/** Waits until something has come true, looking every 10 ms. */
export async function until(condition: () => boolean, withinMs = 10_000): Promise<void> {
	const deadline = Date.now() + withinMs;
	while (!condition() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
	if (!condition()) throw new Error('waited in vain');
}
