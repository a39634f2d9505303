import type { INodeListSearchItems } from 'n8n-workflow';

import { exactText, type GraphInput, type GraphOutput } from '../../../client';

const LONGEST_VALUE = 40;
const MOST_CHOICES = 5;

const cut = (text: string): string => (text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE).trimEnd()}…` : text);

function shownValue(value: unknown): string {
	if (value === '' || value === null || value === undefined) return 'empty';
	if (typeof value === 'string')
		return cut(
			JSON.stringify(
				value
					.slice(0, 2 * LONGEST_VALUE)
					.replace(/\s+/g, ' ')
					.trim(),
			),
		);
	return cut(exactText(value));
}

function takes({ limits = {} }: GraphInput): string | undefined {
	const { min, max, choices, fileKind } = limits;
	if (fileKind !== undefined) return fileKind === 'any' ? 'takes a file' : `takes ${/^[aeiou]/.test(fileKind) ? 'an' : 'a'} ${fileKind}`;
	if (choices !== undefined)
		return `one of ${choices.slice(0, MOST_CHOICES).join(', ')}${choices.length > MOST_CHOICES ? ` and ${choices.length - MOST_CHOICES} more` : ''}`;
	if (min !== undefined && max !== undefined) return `${min} to ${max}`;
	return min !== undefined ? `at least ${min}` : max !== undefined ? `at most ${max}` : undefined;
}

/**
 * n8n keeps the name of a chosen entry on its row for good, and shows nothing else: so it says what the value *was* when
 * it was chosen, which stays true when another workflow is pasted.
 */
export const entryOf = (input: GraphInput): INodeListSearchItems => ({
	name: `${input.label} (${[`was ${shownValue(input.value)}`, takes(input)].filter(Boolean).join('; ')})`,
	value: input.name,
});

/** What a row was called, without the value of that day. */
export const labelOf = (cachedName: string): string => cachedName.replace(/ \(was .*\)$/s, '');

export const outputEntryOf = ({ nodeId, label, className, isTemporary }: GraphOutput): INodeListSearchItems => ({
	name: [label, ...(label.startsWith(className) ? [] : [className]), ...(isTemporary ? ['temporary preview'] : [])].join(' · '),
	value: nodeId,
});
