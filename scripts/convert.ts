/** `npm run --silent convert`: workflows that ComfyUI's editor saved, in API format, for people and scripts. Needs no n8n and no server. */
import { randomInt } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { parseArgs } from 'node:util';

import {
	type ApiGraph,
	convertWorkflow,
	type Definitions,
	exactText,
	GraphError,
	parseExact,
	parseWorkflow,
	readEmbeddedWorkflow,
	resolveDynamicPrompt,
} from '../client';
import { isRecord } from '../client/json/decode';
import { noteLines, refusalLines } from '../nodes/shared/explain/conversion';
import { graphWords } from '../nodes/shared/explain/graph';

const USAGE = `Usage: npm run --silent convert -- FILE|FOLDER --definitions object_info.json [--out FOLDER]
  FILE                 a workflow saved in ComfyUI, or a picture, film or sound that ComfyUI saved: its API format is printed
  FOLDER               every such file below it: written to --out under the same names
  --definitions FILE   what GET /object_info of the ComfyUI that is to run it answers
  --out FOLDER         where to write; needed for a folder
  --help               print this
Notes, and why a file cannot be converted, are printed on standard error. Exit 1 if any was refused, 2 for a command line like this one.`;

/** @returns undefined where only help is wanted. @throws Error with a message for people. */
function readCommandLine(args: string[]) {
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: { definitions: { type: 'string' }, out: { type: 'string' }, help: { type: 'boolean', default: false } },
	});
	if (values.help) return undefined;
	const [from, ...more] = positionals;
	if (from === undefined) throw new Error('Say which file or folder to convert');
	if (more.length > 0) throw new Error(`Give one file or one folder, not also ${more.join(', ')}`);
	const found = statSync(from, { throwIfNoEntry: false });
	if (found === undefined) throw new Error(`There is no file or folder ${from}`);
	if (values.definitions === undefined)
		throw new Error('--definitions is missing: save what GET /object_info of your ComfyUI answers, and name that file');
	if (found.isDirectory() && values.out === undefined)
		throw new Error('--out is missing: say where the converted files of a folder are to be written');
	return { from, isFolder: found.isDirectory(), definitions: values.definitions, out: values.out };
}

/** Files that may hold a workflow; other files of a folder are skipped. */
const CARRIERS = /\.(json|png|webp|svg|mp4|mov|webm|mkv|flac|ogg|opus|mp3|glb|latent|safetensors)$/i;

/** Their paths below the folder. */
const findCarriers = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((path) => CARRIERS.test(path) && statSync(join(folder, path)).isFile())
		.sort();

/** @throws Error with a message for people if the file contains no definitions. */
function readDefinitions(file: string): Definitions {
	let read: unknown;
	try {
		read = parseExact(readFileSync(file, 'utf8'));
	} catch (error) {
		throw new Error(`The definitions in ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
	if (isRecord(read) && Object.values(read).some((definition) => isRecord(definition) && isRecord(definition.input)))
		return read as Definitions;
	throw new Error(`${file} holds no node definitions: save what GET /object_info of your ComfyUI answers`);
}

/** The workflow in a file: the executed graph if it contains one, otherwise the editor's. @throws Error with a message for people. */
async function readWorkflow(file: string): Promise<unknown> {
	const carried = await readEmbeddedWorkflow(createReadStream(file));
	const workflow = carried?.api ?? carried?.editor;
	if (workflow !== undefined) return workflow;
	throw new Error(
		carried?.unreadable === undefined ? 'No workflow of ComfyUI is in it.' : `Its workflow cannot be read: ${carried.unreadable}.`,
	);
}

/** Writes the file. The workflow of an image gets the extension `.json`. */
function write(folder: string, path: string, text: string): void {
	const file = join(folder, extname(path).toLowerCase() === '.json' ? path : `${path}.json`);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}

const EXIT_REFUSED = 1;
const EXIT_BAD_USAGE = 2;

interface Converted {
	/** The API format; undefined if the file cannot be converted. */
	text?: string;
	/** Notes or errors, for people. */
	lines: string[];
}

/** Chooses one option of each dynamic prompt, as the editor does when it exports. */
function resolvePrompts(graph: ApiGraph, prompts: Array<{ nodeId: string; input: string }>): void {
	for (const { nodeId, input } of prompts) {
		const inputs = graph[nodeId]?.inputs;
		const text = inputs?.[input];
		if (inputs !== undefined && typeof text === 'string') inputs[input] = resolveDynamicPrompt(text, (count) => randomInt(count));
	}
}

function describeError(error: unknown): string[] {
	if (!(error instanceof GraphError)) return [error instanceof Error ? error.message : String(error)];
	return error.facts.fault === 'not_convertible' ? refusalLines(error.facts.refusals) : [graphWords(error.facts, true).message];
}

async function convertToText(file: string, definitions: Definitions): Promise<Converted> {
	try {
		const workflow = parseWorkflow(await readWorkflow(file));
		if (workflow.format === 'api') return { text: `${exactText(workflow.graph, 2)}\n`, lines: [] };
		const { graph, notes, dynamicPrompts } = convertWorkflow(workflow.file, definitions);
		resolvePrompts(graph, dynamicPrompts);
		return { text: `${exactText(graph, 2)}\n`, lines: noteLines(notes) };
	} catch (error) {
		return { lines: describeError(error) };
	}
}

async function convert({ from, isFolder, out, definitions: file }: NonNullable<ReturnType<typeof readCommandLine>>): Promise<number> {
	const definitions = readDefinitions(file);
	const paths = isFolder ? findCarriers(from) : [basename(from)];
	let refused = 0;
	for (const path of paths) {
		const { text, lines } = await convertToText(isFolder ? join(from, path) : from, definitions);
		for (const line of lines) console.error(`${path}: ${text === undefined ? 'refused: ' : ''}${line}`);
		if (text === undefined) refused++;
		else if (out === undefined) process.stdout.write(text);
		else write(out, path, text);
	}
	if (isFolder) console.error(`${paths.length - refused} of ${paths.length} files converted`);
	return refused === 0 ? 0 : EXIT_REFUSED;
}

async function main(): Promise<number> {
	try {
		const commandLine = readCommandLine(process.argv.slice(2));
		if (commandLine !== undefined) return await convert(commandLine);
		console.log(USAGE);
		return 0;
	} catch (error) {
		console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
		return EXIT_BAD_USAGE;
	}
}

// Not `process.exit`: a pipe may still take what was printed.
void main().then((exitCode) => (process.exitCode = exitCode));
