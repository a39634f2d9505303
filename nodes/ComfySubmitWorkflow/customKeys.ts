import { ItemFault, type ReadParameter } from '../shared/operations';
import type { SubmitOptions } from './settings';

/** An item whose options cannot be read fails on its own turn. */
function customKeyOf(read: ReadParameter): string | undefined {
	try {
		const { idempotencyKeyMode, idempotencyKey } = read<SubmitOptions>('options', {});
		return idempotencyKeyMode === 'custom' ? String(idempotencyKey ?? '').trim() : undefined;
	} catch {
		return undefined;
	}
}

/** A key stands for one job: the same custom key on two items would lose all but the first. */
export function checkCustomKeys(readItems: ReadParameter[]): void {
	const firstWith = new Map<string, number>();
	for (const [index, read] of readItems.entries()) {
		const key = customKeyOf(read);
		if (key === undefined) continue;
		const first = firstWith.get(key);
		if (first !== undefined) {
			throw new ItemFault(
				`Items ${first} and ${index} have the same Custom Idempotency Key`,
				'Nothing was sent. Use an expression that differs for each item, e.g. one with {{ $json.id }} or {{ $itemIndex }}.',
				index,
			);
		}
		firstWith.set(key, index);
	}
}
