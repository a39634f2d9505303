/** The rows of what new users met first, each proven by tests whose names begin with its id. */
const numbered = (letter: string, last: number): string[] => Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);

export const ROWS = [
	...numbered('E', 10),
	...numbered('W', 11),
	...numbered('B', 9),
	'B11',
	...numbered('D', 12),
	...numbered('S', 5),
	...numbered('P', 4),
	'X',
	...numbered('T', 3),
	'T5',
];

/** What no test at an older commit can show, and why. */
export const NOT_SHOWN: Record<string, string> = {
	T3: 'is about the tests themselves: their sleeps, their leftovers, their bounds on time',
	T5: 'is `npm run test:editor` itself',
};

const ID = String.raw`[EWBDSPTX]\d{0,2}`;
const TITLE = new RegExp(String.raw`(?:^| )(${ID}(?:(?:, | and )${ID})*): `, 'g');

/** The ids that a test's full name begins with, or that its describe's name does. */
export const rowsOf = (fullName: string): string[] =>
	[...fullName.matchAll(TITLE)].flatMap(([, ids = '']) => ids.split(/, | and /)).filter((id) => ROWS.includes(id));

/** For Jest's --testNamePattern: tests of rows whose ids begin with one of these letters. */
export const namePattern = (letters: string): string => String.raw`(^| )[${letters}]\d{0,2}((, | and )[EWBDSPTX]\d{0,2})*: `;

/** In a source file: such a test, or a describe of such tests. */
export const sourcePattern = (letters: string): RegExp => new RegExp(String.raw`['"\`][${letters}]\d{0,2}((, | and )[EWBDSPTX]\d{0,2})*: `);
