/**
 * Removes this character from the end of a text, as often as it occurs. A regular expression would try again at every
 * occurrence.
 */
export function withoutTrailing(character: string, text: string): string {
	let end = text.length;
	while (end > 0 && text[end - 1] === character) end--;
	return text.slice(0, end);
}

const MOST_MATCHES = 5;
/** Names of which a larger share of letters differs are no match. */
const MAX_DISTANCE = 0.5;

/** Names are shorter. A wrong value may be long, and the time of a comparison grows with the product of both lengths. */
const MAX_NAME_LENGTH = 200;

const normalize = (name: string): string =>
	name
		.slice(0, MAX_NAME_LENGTH)
		.toLowerCase()
		.replace(/[^a-z0-9]/g, '');

/** The Levenshtein distance: how many letters must be inserted, removed or replaced. */
function distance(one: string, other: string): number {
	let row = Array.from({ length: other.length + 1 }, (_, column) => column);
	for (const [line, letter] of [...one].entries()) {
		const next = [line + 1];
		for (const [column, otherLetter] of [...other].entries()) {
			const swapped = (row[column] as number) + (letter === otherLetter ? 0 : 1);
			next.push(Math.min(swapped, (row[column + 1] as number) + 1, (next[column] as number) + 1));
		}
		row = next;
	}
	return row.at(-1) as number;
}

/** Returns 0 for names that differ only in case or punctuation, and 1 for names that have nothing in common. */
function relativeDistance(wanted: string, candidate: string): number {
	const [one, other] = [normalize(wanted), normalize(candidate)];
	if (one === other) return 0;
	if (one !== '' && (other.includes(one) || one.includes(other))) return 0.1;
	const longer = Math.max(one.length, other.length, 1);
	const atLeast = Math.abs(one.length - other.length) / longer;
	return atLeast > MAX_DISTANCE ? atLeast : distance(one, other) / longer;
}

/** Returns up to five known names that are similar to the wanted one, the best match first. */
export const nearMatches = (wanted: string, known: string[]): string[] =>
	known
		.map((name) => ({ name, far: relativeDistance(wanted, name) }))
		.filter(({ far }) => far <= MAX_DISTANCE)
		.sort((one, other) => one.far - other.far)
		.slice(0, MOST_MATCHES)
		.map(({ name }) => name);

/** In all fields and messages, as n8n counts. */
export const BYTES_PER_MB = 1_000_000;

/** Returns a size in whole megabytes, rounded up, for example `1,074 MB`. */
export const formatMegabytes = (bytes: number): string => `${Math.ceil(bytes / BYTES_PER_MB).toLocaleString('en')} MB`;

/** Decodes percent-encoded text. A text with an invalid code stays as it is. */
export function decodePercent(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
