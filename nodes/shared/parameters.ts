import { ItemFault } from './operations';

/** @throws ItemFault naming the field when the text is empty: an expression that found nothing gives an empty text. */
export function requiredText(value: unknown, label: string): string {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	if (text === '') throw new ItemFault(`${label} is empty`, `Enter ${label}, or check that its expression finds a value in the input item.`);
	return text;
}

/** `a, b ,c` → `['a', 'b', 'c']`. */
export const commaList = (text: string): string[] =>
	text
		.split(',')
		.map((part) => part.trim())
		.filter((part) => part !== '');
