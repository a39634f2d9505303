import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { projectRoot } from '../../../scripts/n8nHost';

/** What the page looked like when a test failed; emptied before each run. */
export const evidenceFolder = join(projectRoot, '.cache/editor');

const SHOWN_CHARACTERS = 3000;

const fileNameOf = (title: string): string => title.replace(/[^\w]+/g, '-').slice(0, 100);

/** The failure, with the page as it was then: a screenshot in a file, its text in the message. */
export async function withEvidence(failure: unknown, title: string, page: Page): Promise<Error> {
	const { message, stack = '' } = failure instanceof Error ? failure : new Error(String(failure));
	const text = await page
		.locator('body')
		.innerText()
		.catch((reason: unknown) => `(its text could not be read: ${String(reason)})`);
	const path = join(evidenceFolder, fileNameOf(title));
	await mkdir(evidenceFolder, { recursive: true });
	await writeFile(`${path}.txt`, `${page.url()}\n\n${text}\n`);
	await page.screenshot({ path: `${path}.png` }).catch(() => undefined);

	const seen = `The page is in ${path}.png and .txt; it says:\n${text.replace(/\n{2,}/g, '\n').slice(0, SHOWN_CHARACTERS)}`;
	const told = new Error(`${message}\n\n${seen}`);
	// Jest shows the stack, which begins with the message.
	told.stack = `${told.message}\n${stack.slice(stack.indexOf('\n    at '))}`;
	return told;
}
