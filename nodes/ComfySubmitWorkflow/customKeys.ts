import { ItemFault } from '../shared/operations';
import type { SubmitSettings } from './settings';

/** A key stands for one job: the same custom key on two items would lose all but the first. */
export function checkCustomKeys(settingsOfItems: SubmitSettings[]): void {
	const firstWith = new Map<string, number>();
	for (const [index, { keyMode, customKey }] of settingsOfItems.entries()) {
		if (keyMode !== 'custom') continue;
		const key = String(customKey ?? '').trim();
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
