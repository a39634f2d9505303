/** The command line of `npm run demo`, and the examples that it opens. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../n8nHost/environment';

export interface DemoOptions {
	/** Whether n8n stays open. */
	keep: boolean;
	/** Name of the example that comes first in the list of workflows. */
	recipe: string | undefined;
}

/** An example of `examples/`. Recipes have a page. */
export interface Example {
	name: string;
	/** Path of its page from the root of the project, for a recipe. */
	page: string | undefined;
}

/** All examples, in alphabetical order. */
export function findExamples(root = projectRoot): Example[] {
	const names = readdirSync(join(root, 'examples')).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? []);
	return names.sort().map((name) => {
		const page = `docs/recipes/${name}.md`;
		return { name, page: existsSync(join(root, page)) ? page : undefined };
	});
}

const listNames = (title: string, examples: Example[]): string[] =>
	examples.length === 0 ? [] : [`${title}: ${examples.map(({ name }) => name).join(', ')}`];

/** A line for the recipes and a line for the other examples. */
export function describeExamples(examples: Example[]): string {
	const recipes = examples.filter(({ page }) => page !== undefined);
	const others = examples.filter(({ page }) => page === undefined);
	return [...listNames('Recipes', recipes), ...listNames('Other examples', others)].join('\n');
}

const USAGE = 'Usage: npm run demo -- [--keep] [--recipe NAME]';

/**
 * `--recipe` keeps n8n open, with and without `--keep`.
 * @throws Error with a message for the user: the option that is wrong, and the possible names.
 */
export function readOptions(args: string[], examples: Example[]): DemoOptions {
	const { keep, recipe } = parse(args, examples);
	if (recipe === undefined) return { keep, recipe };
	if (!examples.some(({ name }) => name === recipe))
		throw new Error(`There is no recipe or example "${recipe}".\n${describeExamples(examples)}`);
	return { keep: true, recipe };
}

function parse(args: string[], examples: Example[]): DemoOptions {
	try {
		const options = { keep: { type: 'boolean', default: false }, recipe: { type: 'string' } } as const;
		const { keep, recipe } = parseArgs({ args, options }).values;
		return { keep, recipe };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(`${reason}\n${USAGE}\n${describeExamples(examples)}`, { cause: error });
	}
}
