const MOST_MATCHES = 5;
/** Of the longer name's letters, at most this share may differ. */
const FARTHEST = 0.5;

/** No name is longer; a text that came in the place of one may be, and comparing takes the product of both lengths. */
const LONGEST = 200;

const plain = (name: string): string =>
	name
		.slice(0, LONGEST)
		.toLowerCase()
		.replace(/[^a-z0-9]/g, '');

/** How many letters must be put in, taken out or swapped for others to turn one text into the other (Levenshtein). */
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

/** 0 for names that differ in case or spaces only, 1 for names that share nothing. */
function farness(wanted: string, candidate: string): number {
	const [one, other] = [plain(wanted), plain(candidate)];
	if (one === other) return 0;
	if (one !== '' && (other.includes(one) || one.includes(other))) return 0.1;
	const longer = Math.max(one.length, other.length, 1);
	const atLeast = Math.abs(one.length - other.length) / longer;
	return atLeast > FARTHEST ? atLeast : distance(one, other) / longer;
}

/** The few names most like the wanted one, best first; none when nothing is. */
export const nearMatches = (wanted: string, known: string[]): string[] =>
	known
		.map((name) => ({ name, far: farness(wanted, name) }))
		.filter(({ far }) => far <= FARTHEST)
		.sort((one, other) => one.far - other.far)
		.slice(0, MOST_MATCHES)
		.map(({ name }) => name);
