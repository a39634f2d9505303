/** The command line of `npm run live`. */
import { parseArgs } from 'node:util';

const SECONDS = 300;

export const USAGE = `Usage: npm run live -- --url http://host:8188 [--authorization "Basic ..."] [--seconds N] [--keep]
  --url ADDRESS           of ComfyUI itself, with the path under which a reverse proxy shows it
  --authorization HEADER  the whole Authorization header, if a reverse proxy in front of ComfyUI asks for one
  --seconds N             how long all checks may take together (${SECONDS})
  --keep                  save the pictures that were downloaded under demo-output/
  --help                  print this`;

export interface CommandLine {
	url: string;
	authorization: string | undefined;
	seconds: number;
	keep: boolean;
}

/** @returns undefined where only help is wanted. @throws Error with a message for people. */
export function readCommandLine(args: string[]): CommandLine | undefined {
	const { values } = parseArgs({
		args,
		options: {
			url: { type: 'string' },
			authorization: { type: 'string' },
			seconds: { type: 'string', default: String(SECONDS) },
			keep: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	const { url, authorization, keep } = values;
	if (url === undefined) throw new Error('--url is missing: say where ComfyUI is');
	return { url, authorization, keep, seconds: readSeconds(values.seconds) };
}

function readSeconds(text: string): number {
	const seconds = /^\d+$/.test(text) ? Number(text) : 0;
	if (seconds >= 1 && seconds <= 86_400) return seconds;
	throw new Error(`--seconds must be a number from 1 to 86400, not ${JSON.stringify(text)}`);
}
