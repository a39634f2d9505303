/** The options of `npm run demo`. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { scripts } from '../../package.json';
import { type Example, findExamples, readOptions } from '../../scripts/demo/options';

const root = resolve(__dirname, '../..');
const EXAMPLES: Example[] = [
	{ name: 'chat-bot', page: 'docs/recipes/chat-bot.md' },
	{ name: 'first-picture', page: undefined },
	{ name: 'variations', page: 'docs/recipes/variations.md' },
];
const NAMES = 'Recipes: chat-bot, variations\nOther examples: first-picture';

it.each([
	[[], { keep: false, recipe: undefined }],
	[['--keep'], { keep: true, recipe: undefined }],
	[['--keep', '--recipe', 'chat-bot'], { keep: true, recipe: 'chat-bot' }],
	[['--recipe=variations'], { keep: true, recipe: 'variations' }],
	[['--recipe', 'first-picture'], { keep: true, recipe: 'first-picture' }],
])('reads %j, and a recipe always keeps n8n open', (args, options) => {
	expect(readOptions(args, EXAMPLES)).toEqual(options);
});

it('rejects an unknown recipe, and lists the recipes and the other examples', () => {
	expect(() => readOptions(['--keep', '--recipe', 'chatbot'], EXAMPLES)).toThrow(
		new Error(`There is no recipe or example "chatbot".\n${NAMES}`),
	);
});

it('lists no recipes if no example has a page', () => {
	expect(() => readOptions(['--recipe', 'chat-bot'], EXAMPLES.slice(1, 2))).toThrow(/"chat-bot"\.\nOther examples: first-picture$/);
});

it.each([[['--recipe']], [['--recipes', 'chat-bot']], [['chat-bot']]])('rejects %j with the usage and the names', (args) => {
	expect(() => readOptions(args, EXAMPLES)).toThrow(`Usage: npm run demo -- [--keep] [--recipe NAME]\n${NAMES}`);
});

it('finds every example, and the page of those that have one', () => {
	const folder = mkdtempSync(join(tmpdir(), 'comfy-examples-'));
	try {
		for (const name of ['examples', 'docs/recipes']) mkdirSync(join(folder, name), { recursive: true });
		for (const name of ['examples/README.md', 'examples/b.json', 'examples/a.json', 'docs/recipes/b.md', 'docs/recipes/c.md'])
			writeFileSync(join(folder, name), '');
		expect(findExamples(folder)).toEqual([
			{ name: 'a', page: undefined },
			{ name: 'b', page: 'docs/recipes/b.md' },
		]);
	} finally {
		rmSync(folder, { recursive: true });
	}
});

it('the command ends with exit code 1 before n8n starts if the recipe is unknown', () => {
	const [command = '', ...args] = scripts.demo.split(' ');
	const { status, stdout, stderr } = spawnSync(command, [...args, '--keep', '--recipe', 'no-such-recipe'], { cwd: root, encoding: 'utf8' });
	expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
	expect(stderr).toContain('There is no recipe or example "no-such-recipe".');
	for (const { name } of findExamples()) expect(stderr).toContain(name);
});
