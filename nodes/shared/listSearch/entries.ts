import type { INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

/** A line in place of a list, where there is nothing to choose; chosen, it is an empty value. */
export const instead = (name: string): INodeListSearchItems => ({ name, value: '' });

/** The words that somebody looks for. */
export const wordsOf = (filter: string): string[] =>
	filter
		.toLowerCase()
		.split(/\s+/)
		.filter((word) => word !== '');

/** Whether a text holds all of these words, in any order. */
export function holdsAll(text: string, words: string[]): boolean {
	const lower = text.toLowerCase();
	return words.every((word) => lower.includes(word));
}

export const matches = ({ name, value }: INodeListSearchItems, words: string[]): boolean => holdsAll(`${name} ${value}`, words);

/** One page of what is known as a whole. @param token where it begins, as the page before has told. */
export function pageOf(entries: INodeListSearchItems[], size: number, token: string | undefined): INodeListSearchResult {
	const from = Number(token ?? 0);
	const next = from + size;
	return { results: entries.slice(from, next), ...(next < entries.length && { paginationToken: String(next) }) };
}
