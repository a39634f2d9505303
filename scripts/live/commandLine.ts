import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run live -- --url http://host:8188 [--proxy http://host:8189] [--start "command"] [other options]
  --url ADDRESS           of ComfyUI itself, with the path under which a reverse proxy shows it
  --authorization HEADER  the whole Authorization header, if a reverse proxy in front of ComfyUI asks for one
  --user ID               the id of a user, if ComfyUI was started with --multi-user
  --proxy ADDRESS         of the API proxy in front of this ComfyUI: the checks run through it as well
  --token TOKEN           the token of the API proxy, if it was started with one
  --start COMMAND         starts this ComfyUI, which must not run yet. It is switched off and killed during the checks, its queue
                          is cleared, and it is ended with them
  --seconds N             seconds that all checks may take together (600)
  --help                  print this`;

/** @returns undefined where only help is wanted. @throws Error with a message for people. */
export function readCommandLine(args: string[]) {
	const { values } = parseArgs({
		args,
		options: {
			url: { type: 'string' },
			authorization: { type: 'string' },
			user: { type: 'string' },
			proxy: { type: 'string' },
			token: { type: 'string' },
			start: { type: 'string' },
			seconds: { type: 'string', default: '600' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	const { url, token, proxy } = values;
	if (url === undefined) throw new Error('--url is missing: say where ComfyUI is');
	if (token !== undefined && proxy === undefined) throw new Error('--token needs --proxy: it is the token of the API proxy');
	const seconds = Number(values.seconds);
	if (!Number.isInteger(seconds) || seconds < 1 || seconds > 86_400)
		throw new Error(`--seconds must be a number from 1 to 86400, not ${JSON.stringify(values.seconds)}`);
	return { ...values, url, seconds };
}

export type CommandLine = NonNullable<ReturnType<typeof readCommandLine>>;
