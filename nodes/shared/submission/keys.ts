/** Idempotency keys, and numbers derived from them. */
import { createHash } from 'node:crypto';

import { derivedId, exactText, isSendableKey } from '../../../client';
import { ItemFault } from '../itemFault';
import { messages } from '../messages/catalogue';
import { option } from '../options';
import { enteredText, type ReadParameter } from '../parameters';

export interface KeyOptions {
	idempotencyKey?: unknown;
	idempotencyKeyMode?: 'automatic' | 'custom' | 'none';
}

/** The same parts always give the same key, in any process. */
export const deriveKey = (parts: ReadonlyArray<string | number>): string => derivedId(JSON.stringify(parts));

/** @returns the SHA-256 of the value's JSON, as hex; long numbers count in full. */
export const hashOf = (value: unknown): string => createHash('sha256').update(exactText(value)).digest('hex');

/**
 * A pseudo-random whole number below `range`, from 0. The same key and name always give the same number, so that retries of
 * an item repeat its seeds, and none has to be stored.
 */
export function seededNumber(seedKey: string, name: string, range: bigint): bigint {
	const bits = createHash('sha256').update(`${seedKey}:${name}`).digest().readBigUInt64BE();
	return bits % range;
}

/** The user's own key. `readCustomKey` checks it before something is sent. */
export const customKey = option(
	{
		displayName: 'Custom Idempotency Key',
		name: 'idempotencyKey',
		type: 'string',
		typeOptions: { password: false },
		default: '',
		placeholder: 'e.g. order-{{ $json.order_id }}',
		description: 'Enter a different key for each item. Used only if Idempotency Key is Custom.',
	},
	(entered) => entered,
);

/** @throws ItemFault if it is empty or cannot be sent. */
export function readCustomKey(value: unknown): string {
	const key = enteredText(value, 'Custom Idempotency Key');
	if (isSendableKey(key)) return key;
	throw new ItemFault(messages.CUSTOM_KEY_NOT_VALID());
}

/** @returns undefined also if the item's options cannot be read: the item then fails on its own. */
function customKeyOfItem(read: ReadParameter): string | undefined {
	try {
		const { idempotencyKeyMode, idempotencyKey } = read<KeyOptions>('options', {});
		return idempotencyKeyMode === 'custom' ? String(idempotencyKey ?? '').trim() : undefined;
	} catch {
		return undefined;
	}
}

/**
 * A key stands for one job: if two items had the same custom key, only the first would run.
 * @throws ItemFault for the second such item.
 */
export function checkCustomKeys(readItems: ReadParameter[]): void {
	const firstWith = new Map<string, number>();
	for (const [index, read] of readItems.entries()) {
		const key = customKeyOfItem(read);
		if (key === undefined) continue;
		const first = firstWith.get(key);
		if (first !== undefined) throw new ItemFault(messages.CUSTOM_KEY_TWICE(first, index), { itemIndex: index });
		firstWith.set(key, index);
	}
}
