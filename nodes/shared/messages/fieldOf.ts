/** The switch of a credential that shows a field. */
const SHOWN_BY: Partial<Record<string, string>> = {
	'Engine Address': 'Engine At Another Address',
	'Engine Authorization': 'More Settings',
	'Hosted URL': 'More Settings',
	'Ignore SSL Issues': 'More Settings',
	'Keep Links On This Address': 'More Settings',
	'Partner API Key': 'More Settings',
	'Router URL': 'More Settings',
	Token: 'More Settings',
};

/** A field, where it is found, and what to turn on to see it. */
export function fieldOf(label: string, credential: string): string {
	const shownBy = SHOWN_BY[label];
	return `${label} in the ${credential} credential${shownBy === undefined ? '' : ` (under ${shownBy})`}`;
}
