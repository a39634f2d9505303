import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { parseExact } from '../../../../../client/json/exactJson';
import type { Definitions } from '../../../../../client';

const ROOM = resolve(__dirname, '..');
const fileIn = (folder: string, name: string, ending = '.json'): string => join(ROOM, folder, `${name}${ending}`);

/** What ComfyUI's own frontend made of a graph. */
export interface Recording {
	/** Its version. */
	frontend: string;
	/** Classes that the definitions lack. */
	unknown: string[];
	output: Record<string, { class_type: string; inputs: Record<string, unknown>; _meta?: { title?: string } }>;
}

/** What our converter is to say of a graph beside its result; nothing, where nothing is written. */
export interface Expected {
	notes?: object[];
	/** Where the frontend itself misreads a file, and a note says that we do not: what differs, as `differences` tells it. */
	differences?: string[];
	/** Then it gives no graph at all. */
	refusals?: object[];
}

/** The frontend writes dates into names of files (`%date:yyyy-MM-dd%`). */
export const DAY_OF_RECORDING = new Date(2026, 0, 2, 3, 4, 5);

const namesIn = (folder: string): string[] =>
	readdirSync(join(ROOM, folder), { recursive: true, encoding: 'utf8' })
		.filter((path) => path.endsWith('.json') && !path.endsWith('.expected.json'))
		.map((path) => path.slice(0, -'.json'.length).replaceAll('\\', '/'))
		.sort();

/** `<topic>/<name>` of every graph. */
export const graphNames = (): string[] => namesIn('graphs');
export const recordingNames = (): string[] => namesIn('exports');

export const graphText = (name: string): string => readFileSync(fileIn('graphs', name), 'utf8');

export const expectedOf = (name: string): Expected => {
	const file = fileIn('graphs', name, '.expected.json');
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Expected) : {};
};

export const recordingText = (name: string): string | undefined => {
	const file = fileIn('exports', name);
	return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};

export const recordingOf = (name: string): Recording | undefined => {
	const text = recordingText(name);
	return text === undefined ? undefined : (parseExact(text) as Recording);
};

/** One node a line, so that a change shows as one. */
export const textOf = ({ frontend, unknown, output }: Recording): string =>
	[
		`{"frontend":${JSON.stringify(frontend)},"unknown":${JSON.stringify(unknown)},"output":{`,
		Object.entries(output)
			.map(([id, node]) => `${JSON.stringify(id)}:${JSON.stringify(node)}`)
			.join(',\n'),
		'}}\n',
	].join('\n');

export function record(name: string, recording: Recording): void {
	const file = fileIn('exports', name);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, textOf(recording));
}

const definitionsIn = (name: string): Record<string, object> =>
	parseExact(readFileSync(fileIn('definitions', name), 'utf8')) as Record<string, object>;

/** All 886 classes of ComfyUI 0.33.0 as its `/object_info` answers them, less what is the same for most. */
export const definitions = { ...definitionsIn('core'), ...definitionsIn('packs'), ...definitionsIn('widgets') } as Definitions;

interface Definition {
	input: Record<string, Record<string, unknown>>;
	output: string[];
}

/** What was left out again, because the frontend wants it. */
export const wholeDefinitions = (): Record<string, object> =>
	Object.fromEntries(
		Object.entries(definitions as Record<string, Partial<Definition>>).map(([name, definition]) => {
			const { input = {}, output = [] } = definition;
			const order = Object.fromEntries(Object.entries(input).map(([group, inputs]) => [group, Object.keys(inputs)]));
			return [
				name,
				{
					name,
					display_name: name,
					category: 'all',
					description: '',
					python_module: 'nodes',
					output_node: false,
					output_name: output,
					output_is_list: output.map(() => false),
					input_order: order,
					...definition,
				},
			];
		}),
	);
