/** `details.node_errors` of the hosted service: node id → list of entries with `field` and `reason`. */
export function listedNodeErrors(
	entries: Array<{ nodeId: string; field: string; reason: string }>,
): Record<string, Array<{ field: string; reason: string }>> {
	const errors: Record<string, Array<{ field: string; reason: string }>> = {};
	for (const { nodeId, field, reason } of entries) (errors[nodeId] ??= []).push({ field, reason });
	return errors;
}
