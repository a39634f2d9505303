import { ItemFault } from '../itemFault';
import { messages } from '../messages/catalogue';
import { notBegun } from '../messages/topics/stopping';
import type { Words } from '../messages/words';

/** Returns one line for all items that were not begun. Empty if all were. */
export function describeNotBegun(indexes: number[]): string {
	const [first, last] = [indexes[0], indexes.at(-1)];
	if (first === undefined || last === undefined) return '';
	return first === last ? notBegun.one(first) : notBegun.several(first, last);
}

function stoppedWords(begun: number, itemCount: number): Words {
	if (begun === 0) return messages.NODE_STOPPED_BEFORE_START();
	if (begun === itemCount) return messages.NODE_STOPPED_BEFORE_END();
	const last = itemCount - 1;
	return begun === last ? messages.ITEM_NOT_STARTED(last) : messages.ITEMS_NOT_STARTED(begun, last);
}

/**
 * Returns the fault of a stopped execution. n8n does not report whether a person or the time limit stopped it.
 * @param begun how many items were begun.
 */
export const stoppedFault = (begun: number, itemCount: number): ItemFault => new ItemFault(stoppedWords(begun, itemCount));
