/** The command line of `npm run convert`. */
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run --silent convert -- FILE|FOLDER --definitions object_info.json [--out FOLDER]
  FILE                 a workflow saved in ComfyUI, or a picture, film or sound that ComfyUI saved: its API format is printed
  FOLDER               every such file below it: written to --out under the same names
  --definitions FILE   what GET /object_info of the ComfyUI that is to run it answers
  --out FOLDER         where to write; needed for a folder
  --help               print this
Notes, and why a file cannot be converted, are printed on standard error. Exit 1 if any was refused, 2 for a command line like this one.`;

export interface CommandLine {
	from: string;
	isFolder: boolean;
	definitions: string;
	out: string | undefined;
}

/** @returns undefined where only help is wanted. @throws Error with a message for people. */
export function readCommandLine(args: string[]): CommandLine | undefined {
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
