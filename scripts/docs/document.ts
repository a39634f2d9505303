/** Documents of which `npm run docs` writes the end. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../n8nHost/environment';

/** @param file from the root of the project, for example `docs/router.md`. */
export const readDocument = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

export const writeDocument = (file: string, text: string): void => writeFileSync(join(projectRoot, file), text);

/** Returns the page with its own text up to the mark, and this text after the mark. */
export const replaceAfter = (mark: string, page: string, generated: string): string =>
	`${page.split(mark)[0]?.trimEnd()}\n\n${mark}\n\n${generated}\n`;
