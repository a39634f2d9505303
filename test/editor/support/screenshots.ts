import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { projectRoot } from '../../../scripts/n8nHost/environment';

/** For the pages of failed tests. Each run empties it first. */
export const evidenceFolder = join(projectRoot, '.cache/editor');

const docsFolder = join(projectRoot, 'docs');

/** SCREENSHOTS=1 writes to docs/. Without it, images stay out of docs/, because they differ a little on each machine. */
const folder = process.env.SCREENSHOTS ? docsFolder : join(evidenceFolder, 'screenshots');
const MARGIN = 24;
/** For the name of a node, which is below its box. */
const MARGIN_BELOW = 80;

/** Names of the screenshots that README and the documents show. */
export async function shownImages(): Promise<string[]> {
	return (await readdir(docsFolder)).filter((name) => name.endsWith('.png'));
}

async function pathOf(name: string): Promise<string> {
	const path = join(folder, name);
	await mkdir(dirname(path), { recursive: true });
	return path;
}

export async function keepImage(image: Buffer, name: string): Promise<void> {
	await writeFile(await pathOf(name), image);
}

export async function screenshotOf(target: Locator, name: string): Promise<Buffer> {
	return await target.screenshot({ path: await pathOf(name), animations: 'disabled' });
}

/** The part of the page that shows all of these elements. */
export async function screenshotAround(page: Page, targets: Locator, name: string): Promise<Buffer> {
	const image = await imageAround(page, targets);
	await keepImage(image, name);
	return image;
}

/** Keeps an image with a palette of 256 colors, which is a third of its size. */
export async function keepSmallImage(image: Buffer, name: string): Promise<Buffer> {
	const small = await sharp(image).png({ palette: true, compressionLevel: 9, effort: 10 }).toBuffer();
	await keepImage(small, name);
	return small;
}

const WITHOUT_BUTTONS =
	'.vue-flow__panel, [data-test-id="execute-workflow-button"], [aria-label="Select trigger node"] { opacity: 0 !important }';

/** The same as `screenshotAround`, with a palette, and without n8n's buttons, which can be in front of a node. */
export const smallScreenshotAround = async (page: Page, targets: Locator, name: string): Promise<Buffer> =>
	await keepSmallImage(await imageAround(page, targets, WITHOUT_BUTTONS), name);

async function imageAround(page: Page, targets: Locator, style = ''): Promise<Buffer> {
	const boxes = (await Promise.all((await targets.all()).map((target) => target.boundingBox()))).filter((box) => box !== null);
	const left = Math.min(...boxes.map(({ x }) => x)) - MARGIN;
	const top = Math.min(...boxes.map(({ y }) => y)) - MARGIN;
	const width = Math.max(...boxes.map((box) => box.x + box.width)) + MARGIN - left;
	const height = Math.max(...boxes.map((box) => box.y + box.height)) + MARGIN_BELOW - top;
	return await page.screenshot({ clip: { x: left, y: top, width, height }, animations: 'disabled', style });
}

const SHOWN_CHARACTERS = 3000;

const fileNameOf = (title: string): string => title.replace(/[^\w]+/g, '-').slice(0, 100);

/** The failure with the page at that moment: a screenshot in a file, and the text of the page in the message. */
export async function withEvidence(failure: unknown, title: string, page: Page): Promise<Error> {
	const { message, stack = '' } = failure instanceof Error ? failure : new Error(String(failure));
	const text = await page
		.locator('body')
		.innerText()
		.catch((reason: unknown) => `(the text could not be read: ${String(reason)})`);
	const path = join(evidenceFolder, fileNameOf(title));
	await mkdir(evidenceFolder, { recursive: true });
	await writeFile(`${path}.txt`, `${page.url()}\n\n${text}\n`);
	await page.screenshot({ path: `${path}.png` }).catch(() => undefined);

	const seen = `The page is in ${path}.png and .txt; its text:\n${text.replace(/\n{2,}/g, '\n').slice(0, SHOWN_CHARACTERS)}`;
	const withPage = new Error(`${message}\n\n${seen}`);
	// Jest shows the stack, which begins with the message.
	withPage.stack = `${withPage.message}\n${stack.slice(stack.indexOf('\n    at '))}`;
	return withPage;
}
