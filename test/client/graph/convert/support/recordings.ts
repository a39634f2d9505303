import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { parseExact } from '../../../../../client/json/exactJson';
import type { Definitions } from '../../../../../client';

const FOLDER = resolve(__dirname, '..');
const fileIn = (folder: string, name: string, ending = '.json'): string => join(FOLDER, folder, `${name}${ending}`);

/** The frontend that belongs to ComfyUI 0.33.0, whose definitions the recordings use, and the newest that we follow. */
export const FRONTEND_VERSIONS = ['1.49.6', '1.58.1'] as const;

/** A graph in API format, as a frontend exports it. */
export type Output = Record<string, { class_type: string; inputs: Record<string, unknown>; _meta?: { title?: string } }>;

/** What ComfyUI's own frontend made of a graph. */
export interface Recording {
	/** The versions that exported this. */
	frontends: string[];
	output: Output;
}

/** What our converter reports about a graph besides its result. Without a file, it reports nothing. */
interface Expected {
	notes?: object[];
	/**
	 * What differs from the frontend's export, as `differences` describes it: from every version, or by version. A decision says why
	 * ours is right.
	 */
	differences?: string[] | Record<string, string[]>;
	/** Why we differ from a version of the frontend, by the definitions of the classes. */
	decision?: string;
	/** Why the graph is refused. Then there is no result. */
	refusals?: object[];
}

/** The frontend writes dates into names of files (`%date:yyyy-MM-dd%`). */
export const DAY_OF_RECORDING = new Date(2026, 0, 2, 3, 4, 5);

const namesIn = (folder: string): string[] =>
	readdirSync(join(FOLDER, folder), { recursive: true, encoding: 'utf8' })
		.filter((path) => path.endsWith('.json') && !path.endsWith('.expected.json'))
		.map((path) => path.slice(0, -'.json'.length).replaceAll('\\', '/'))
		.sort();

/** `<topic>/<name>` of every graph. */
export const graphNames = (): string[] => namesIn('graphs');
const OF_VERSION = new RegExp(`\\.(${FRONTEND_VERSIONS.map((version) => version.replaceAll('.', '\\.')).join('|')})$`);
export const recordingNames = (): string[] => namesIn('exports').filter((name) => !OF_VERSION.test(name));

export const graphText = (name: string): string => readFileSync(fileIn('graphs', name), 'utf8');

export const expectedOf = (name: string): Expected => {
	const file = fileIn('graphs', name, '.expected.json');
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Expected) : {};
};

/** @param version of the frontend. */
export function expectedDifferences(name: string, version: string): string[] {
	const { differences = [] } = expectedOf(name);
	return Array.isArray(differences) ? differences : (differences[version] ?? []);
}

/** The first recording of a graph has its name. The names of others end with their first version. */
const recordingFiles = (name: string): string[] =>
	['.json', ...FRONTEND_VERSIONS.map((version) => `.${version}.json`)].map((ending) => fileIn('exports', name, ending));

/** What a version of the frontend made of a graph. */
export function recordingOf(name: string, version: string = FRONTEND_VERSIONS[0]): Recording | undefined {
	const files = recordingFiles(name).filter((file) => existsSync(file));
	return files.map((file) => parseExact(readFileSync(file, 'utf8')) as Recording).find(({ frontends }) => frontends.includes(version));
}

/** Writes one line for each node, so that a diff shows changed nodes. */
const textOf = ({ frontends, output }: Recording): string =>
	[
		`{"frontends":${JSON.stringify(frontends)},"output":{`,
		Object.entries(output)
			.map(([id, node]) => `${JSON.stringify(id)}:${JSON.stringify(node)}`)
			.join(',\n'),
		'}}\n',
	].join('\n');

/** @param recordings the different recordings of one graph. */
export function record(name: string, recordings: Recording[]): void {
	for (const file of recordingFiles(name)) rmSync(file, { force: true });
	for (const [index, recording] of recordings.entries()) {
		const file = fileIn('exports', name, index === 0 ? '.json' : `.${recording.frontends[0]}.json`);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, textOf(recording));
	}
}

const definitionsIn = (name: string): Record<string, object> =>
	parseExact(readFileSync(fileIn('definitions', name), 'utf8')) as Record<string, object>;

/** All 886 classes of ComfyUI 0.33.0 as its `/object_info` answers them, without properties that are the same for most. */
export const definitions = { ...definitionsIn('core'), ...definitionsIn('packs'), ...definitionsIn('widgets') } as Definitions;

interface Definition {
	input: Record<string, Record<string, unknown>>;
	output: string[];
}

/** The definitions with the properties that are left out above, because the frontend needs them. */
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
