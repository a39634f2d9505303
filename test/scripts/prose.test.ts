import { lintProse } from '../../scripts/prose/lint';

const errorsIn = async (file: string, source: string): Promise<string[]> =>
	(await lintProse(file, source)).filter(({ isWarning }) => !isWarning).map(({ line, rule }) => `${line} ${rule}`);

it.each([
	'it waits, and you want to know for what',
	'An address that answers as something else is told, not passed over.',
	'What waits for a job leaves off at once.',
	'What each death means',
	'No address is ever used that nobody entered.',
	'It is read anew at each run.',
	'Each door, what holds it, and its test.',
	'The file is handed on to the next node.',
	'Use a short name, e.g. fox.',
])('a document must not say: %s', async (sentence) => {
	expect(await errorsIn('docs/page.md', `# Title\n\n${sentence}\n`)).toContainEqual(expect.stringMatching(/^3 (terms|length)$/));
});

it('plain sentences and code in backticks pass', async () => {
	const page = [
		'If the address belongs to a different server, the node reports which one. It never tries an address that you did not enter.',
		'Enter `nobody` or `e.g. this`.',
		'```\nnobody\n```',
	];
	expect(await errorsIn('docs/page.md', page.join('\n\n'))).toEqual([]);
});

it('a sentence of more than 30 words is an error', async () => {
	const words = (count: number) => `The node ${'waits and '.repeat((count - 4) / 2)}reads files.`;
	expect(await errorsIn('docs/page.md', words(30))).toEqual([]);
	expect(await errorsIn('docs/page.md', words(32))).toEqual(['1 length']);
});

it('comments are checked everywhere, texts only in the code that users see, and the notes of a workflow to import', async () => {
	const source = '/** Tells nobody. */\nconst a = 1; // goes on\n\nconst message = `The file ${a} is handed on.`;\n';
	expect(await errorsIn('sandbox/file.ts', source)).toEqual(['1 terms', '2 terms']);
	expect(await errorsIn('nodes/file.ts', source)).toEqual(['1 terms', '2 terms', '4 terms']);
	const workflow = { nodes: [{ name: 'Note', parameters: { content: 'It tells nobody.', path: 'nobody b c' } }] };
	expect(await errorsIn('examples/one.json', JSON.stringify(workflow, null, 1))).toEqual(['6 terms']);
});
