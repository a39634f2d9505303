import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type ApiGraph, type App, parseExact, readApp } from '../../../../client';
import { definitions } from '../convert/support/recordings';

const FOLDER = join(__dirname, 'recorded');

/** What ComfyUI's own frontend made of an app: for each marked input what it shows, and where a changed value went. */
export interface Recorded {
	workflow: { extra?: { linearData?: { inputs: Array<[id: unknown, widget: string, config?: object]>; outputs: unknown[] } } };
	output: ApiGraph;
	shown: Array<null | { unknown: true } | { hidden: string } | { label: string; places: string[] }>;
	outputs: string[];
}

export const recorded = (name: string): Recorded => parseExact(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Recorded;
export const recordedNames = readdirSync(FOLDER).map((file) => file.replace('.json', ''));

export const withMarks = ({ workflow, output }: Recorded, inputs: unknown[], outputs: unknown[] = []): App | undefined =>
	readApp({ ...workflow, extra: { ...workflow.extra, linearData: { inputs, outputs } } }, output, definitions);
