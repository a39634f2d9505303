import { EmptyField, ItemFault } from './itemFault';
import { messages } from './messages/catalogue';

/** Reads one parameter of the current item. */
export type ReadParameter = <T>(name: string, fallback?: T) => T;

/** Returns the trimmed text. @throws EmptyField if it is empty, as it is when an expression found nothing. */
export function enteredText(value: unknown, label: string): string {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	if (text === '') throw new EmptyField(messages.FIELD_EMPTY(label));
	return text;
}

/** Returns the number. @throws ItemFault that names the field if it is not a number of at least `least`. */
export function enteredNumber(value: unknown, label: string, least: number): number {
	const number = value === '' || value === null ? NaN : Number(value);
	if (number >= least) return number;
	throw new ItemFault(messages.FIELD_NOT_A_NUMBER(label, least));
}

/** @throws ItemFault for anything but a whole number in this range. */
export function enteredWholeNumber(value: unknown, label: string, { least, most }: { least: number; most: number }): number {
	const number = value === '' || value === null ? NaN : Number(value);
	if (Number.isInteger(number) && number >= least && number <= most) return number;
	throw new ItemFault(messages.FIELD_NOT_IN_RANGE(label, least, most));
}

/** n8n evaluates each text that begins with "=" as an expression, in any parameter. */
export const isExpression = (value: unknown): boolean => typeof value === 'string' && value.startsWith('=');

/** Returns the value of a resource locator. Older workflows, expressions and agents give the plain value instead. */
export const locatorValue = (chosen: unknown): unknown =>
	typeof chosen === 'object' && chosen !== null && 'value' in chosen ? chosen.value : chosen;

/** Returns what was chosen from a list, with its name and link in the list, or undefined if it was entered in another way. */
export function listChoice(chosen: unknown): { value: string; name: string; url?: string } | undefined {
	if (typeof chosen !== 'object' || chosen === null) return undefined;
	const { mode, value, cachedResultName: name, cachedResultUrl: url } = chosen as Record<string, unknown>;
	if (mode !== 'list' || typeof value !== 'string' || value === '' || typeof name !== 'string' || name === '') return undefined;
	return { value, name, ...(typeof url === 'string' && { url }) };
}

/** Returns the most results that a list may return, Infinity for all. A fraction is rounded down. @see limitFields */
export const readLimit = (read: ReadParameter): number =>
	read<boolean>('returnAll', false) ? Infinity : Math.floor(enteredNumber(read<unknown>('limit', 50), 'Limit', 1));

/** `a, b ,c` → `['a', 'b', 'c']`. */
export const commaList = (text: string): string[] =>
	text
		.split(',')
		.map((part) => part.trim())
		.filter((part) => part !== '');
