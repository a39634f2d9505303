/** The command line of `npm run live`. */
import { parseArgs } from 'node:util';

const SECONDS = 300;
const SECONDS_WITH_OUTAGES = 600;
const WAIT_FOR_SERVER_SECONDS = 60;

export const USAGE = `Usage: npm run live -- --url http://host:8188 [--proxy http://host:8189] [--start "command"] [other options]
  --url ADDRESS           of ComfyUI itself, with the path under which a reverse proxy shows it
  --authorization HEADER  the whole Authorization header, if a reverse proxy in front of ComfyUI asks for one
  --proxy ADDRESS         of the API proxy in front of this ComfyUI: the checks run through it as well
  --token TOKEN           the token of the API proxy, if it was started with one
  --start COMMAND         starts the ComfyUI at --url, which must not run yet. It is switched off and restarted
                          during the checks, its queue is cleared, and it is ended with them
  --wait-for-server N     seconds within which a ComfyUI that is switched off must be reported (${WAIT_FOR_SERVER_SECONDS})
  --seconds N             seconds that all checks may take together (${SECONDS}, with --start ${SECONDS_WITH_OUTAGES})
  --keep                  save the pictures that were downloaded under demo-output/
  --help                  print this`;

export interface CommandLine {
	url: string;
	authorization: string | undefined;
	proxy: string | undefined;
	token: string | undefined;
	start: string | undefined;
	waitForServerSeconds: number;
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
			proxy: { type: 'string' },
			token: { type: 'string' },
			start: { type: 'string' },
			'wait-for-server': { type: 'string', default: String(WAIT_FOR_SERVER_SECONDS) },
			seconds: { type: 'string' },
			keep: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	const { url, authorization, proxy, token, start, keep } = values;
	if (url === undefined) throw new Error('--url is missing: say where ComfyUI is');
	if (token !== undefined && proxy === undefined) throw new Error('--token needs --proxy: it is the token of the API proxy');
	return {
		url,
		authorization,
		proxy,
		token,
		start,
		keep,
		waitForServerSeconds: readSeconds('--wait-for-server', values['wait-for-server']),
		seconds: readSeconds('--seconds', values.seconds ?? String(start === undefined ? SECONDS : SECONDS_WITH_OUTAGES)),
	};
}

function readSeconds(option: string, text: string): number {
	const seconds = /^\d+$/.test(text) ? Number(text) : 0;
	if (seconds >= 1 && seconds <= 86_400) return seconds;
	throw new Error(`${option} must be a number from 1 to 86400, not ${JSON.stringify(text)}`);
}
