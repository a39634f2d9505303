import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { EXCEPTIONS } from '../../scripts/prose/exceptions';
import { lintProse } from '../../scripts/prose/lint';
import { readComments, readStrings, readWorkflow } from '../../scripts/prose/texts';

const errorsIn = async (file: string, source: string): Promise<string[]> =>
	(await lintProse(file, source)).filter(({ isWarning }) => !isWarning).map(({ line, rule }) => `${line} ${rule}`);

describe('the rules reject the sentences that readers did not understand', () => {
	it.each([
		'n8n Cloud takes no packages with dependencies of their own; this one has seven.',
		'it waits, and you want to know for what',
		'An address that answers as something else is told, not passed over.',
		'Workflow cannot be converted: ComfyUI there has no node classes "VAELoader"',
		'A job that has ended stays the result of its item, well or badly.',
		'What waits for a job leaves off at once.',
		'A deployment tells nobody.',
		'Nothing was there that could have been sent.',
		'What each death means',
		'No address is ever used that nobody entered.',
		'Whoever builds an app chooses which inputs others see.',
		'It is read anew at each run.',
		'Your own job is told apart from others.',
		'The item goes on without its file.',
		'Rows win over it.',
		'Each door, what holds it, and its test.',
		'Without polling where a stream is to be had.',
		'The file is handed on to the next node.',
		'An agent that draws',
		'n8n died in mid-job.',
		'Use a short name, e.g. fox.',
	])('%s', async (sentence) => {
		expect(await errorsIn('docs/page.md', `# Title\n\n${sentence}\n`)).toContainEqual(expect.stringMatching(/^3 (terms|length)$/));
	});
});

it('plain sentences pass', async () => {
	const page = [
		'n8n Cloud installs only verified community nodes.',
		'The node seems stuck: turn on debug logs.',
		'If the address belongs to a different server, the node reports which one. It never tries an address that you did not enter.',
		'A finished job stays the result of its item, whether it succeeded or failed.',
		'Nodes that wait for a job stop immediately.',
	].join('\n\n');
	expect(await errorsIn('docs/page.md', page)).toEqual([]);
});

it('a sentence of more than 30 words is an error, and the passive voice is a warning', async () => {
	const words = (count: number) => `The node ${'waits and '.repeat((count - 4) / 2)}reads files.`;
	expect(await errorsIn('docs/page.md', words(30))).toEqual([]);
	expect(await errorsIn('docs/page.md', words(32))).toEqual(['1 length']);
	const [finding] = await lintProse('docs/page.md', 'The file was uploaded by the node.');
	expect(finding).toMatchObject({ rule: 'passive', isWarning: true });
});

it('code in backticks is not checked', async () => {
	expect(await errorsIn('docs/page.md', 'Enter `nobody` or `e.g. this`.\n\n```\nnobody\n```\n')).toEqual([]);
});

it('comments are read everywhere, and texts only from the code that users see', async () => {
	const source = '/** Tells nobody. */\nconst a = 1; // goes on\n\nconst message = `The file ${a} is handed on.`;\n';
	expect(await errorsIn('sandbox/file.ts', source)).toEqual(['1 terms', '2 terms']);
	expect(await errorsIn('nodes/file.ts', source)).toEqual(['1 terms', '2 terms', '4 terms']);
});

it('line comments that follow each other are one text, and a tag begins a new one', () => {
	const source =
		'// One sentence that\n// ends here.\n\n// Another.\n/**\n * Reads a file.\n * @returns the text\n * of it.\n * @throws an error.\n */\nexport {};\n';
	expect(readComments(source)).toEqual([
		{ text: 'One sentence that ends here.', line: 1 },
		{ text: 'Another.', line: 4 },
		{ text: 'Reads a file.', line: 5 },
		{ text: 'the text of it.', line: 5 },
		{ text: 'an error.', line: 5 },
	]);
});

it('inserted values become dots, and paths, types and codes are no texts', () => {
	const source =
		"import a from 'some text here';\nconst b: 'one two three' = x;\nf(`File ${b} of ${a} is missing.`, '/a/b c', 'job_id', 'content-type');\n";
	expect(readStrings(source)).toEqual([{ text: 'File … of … is missing.', line: 3 }]);
});

it('the names, notes and field labels of a workflow to import are texts', () => {
	const workflow = {
		name: 'Make an image',
		nodes: [{ name: 'Comfy Run Workflow', parameters: { content: '## Choose one', path: 'a b c' } }],
	};
	expect(readWorkflow(JSON.stringify(workflow, null, 1)).map(({ text, line }) => [line, text])).toEqual([
		[2, 'Make an image'],
		[5, 'Comfy Run Workflow'],
		[7, '## Choose one'],
	]);
});

it('each exception is needed', async () => {
	const listed = execFileSync('git', ['ls-files', '*.md', '*.ts', 'examples'], { encoding: 'utf8' }).split('\n');
	for (const { file, text } of EXCEPTIONS) {
		const texts = listed.filter((path) => path.startsWith(file)).map((path) => readFileSync(path, 'utf8'));
		expect(texts.some((source) => (typeof text === 'string' ? source.includes(text) : text.test(source)))).toBe(true);
	}
});
