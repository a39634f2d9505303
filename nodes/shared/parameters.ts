import { EmptyField, ItemFault } from './itemFault';

/** Reads one parameter of the item at hand. */
export type ReadParameter = <T>(name: string, fallback?: T) => T;

/** @throws EmptyField when the text is empty: an expression that found nothing gives an empty text. */
export function enteredText(value: unknown, label: string): string {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	if (text === '')
		throw new EmptyField(`${label} is empty`, `Enter ${label}, or check that its expression finds a value in the input item.`);
	return text;
}

/** @throws ItemFault naming the field: an expression that found nothing gives no number. */
export function enteredNumber(value: unknown, label: string, least: number): number {
	const number = value === '' || value === null ? NaN : Number(value);
	if (number >= least) return number;
	throw new ItemFault(`${label} is not a number of at least ${least}`, `Correct ${label}, or check that its expression finds a value.`);
}

/** n8n takes a text that begins so for an expression, wherever it stands. */
export const isExpression = (value: unknown): boolean => typeof value === 'string' && value.startsWith('=');

/** What was chosen: workflows of before a field was a locator, expressions and agents give a plain value. */
export const locatorValue = (chosen: unknown): unknown =>
	typeof chosen === 'object' && chosen !== null && 'value' in chosen ? chosen.value : chosen;

/** What was chosen from a list, with the name and the link that it had there; undefined for what came otherwise. */
export function listChoice(chosen: unknown): { value: string; name: string; url?: string } | undefined {
	if (typeof chosen !== 'object' || chosen === null) return undefined;
	const { mode, value, cachedResultName: name, cachedResultUrl: url } = chosen as Record<string, unknown>;
	if (mode !== 'list' || typeof value !== 'string' || value === '' || typeof name !== 'string' || name === '') return undefined;
	return { value, name, ...(typeof url === 'string' && { url }) };
}

/** Of operations that list: how many, Infinity for all. @see limitFields */
export const readLimit = (read: ReadParameter): number =>
	read<boolean>('returnAll', false) ? Infinity : enteredNumber(read<unknown>('limit', 50), 'Limit', 1);

/** `a, b ,c` → `['a', 'b', 'c']`. */
export const commaList = (text: string): string[] =>
	text
		.split(',')
		.map((part) => part.trim())
		.filter((part) => part !== '');
