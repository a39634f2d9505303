import { isSendableKey } from '../../../client';
import { ItemFault } from '../itemFault';
import { enteredText, type ReadParameter } from '../parameters';

export interface KeyOptions {
	idempotencyKey?: unknown;
	idempotencyKeyMode?: 'automatic' | 'custom' | 'none';
}

/** @throws ItemFault when it is empty or cannot be sent. */
export function customKey(value: unknown): string {
	const key = enteredText(value, 'Custom Idempotency Key');
	if (isSendableKey(key)) return key;
	throw new ItemFault(
		'Custom Idempotency Key cannot be sent',
		'Use 1 to 255 printable ASCII characters, e.g. an order number. Nothing was sent.',
	);
}

/** An item whose options cannot be read fails on its own turn. */
function customKeyOfItem(read: ReadParameter): string | undefined {
	try {
		const { idempotencyKeyMode, idempotencyKey } = read<KeyOptions>('options', {});
		return idempotencyKeyMode === 'custom' ? String(idempotencyKey ?? '').trim() : undefined;
	} catch {
		return undefined;
	}
}

/** A key stands for one job: the same custom key on two items would lose all but the first. */
export function checkCustomKeys(readItems: ReadParameter[]): void {
	const firstWith = new Map<string, number>();
	for (const [index, read] of readItems.entries()) {
		const key = customKeyOfItem(read);
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
