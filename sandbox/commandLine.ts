/** The command line of `npm run sandbox`. */
import { parseArgs } from 'node:util';
import type { Behaviour } from './behaviour';

/** Seven ports are taken from the first on. */
const HIGHEST_FIRST_PORT = 65_535 - 6;

export const USAGE = `Usage: npm run sandbox -- [--port N] [--json] [--headers comfy|service]
  --port N  listen on seven ports, N to N+6: self-hosted, self-hosted with token, hosted, deployment, storage, engine, router (default: free ports)
  --headers comfy|service
            vendor headers as the public service spells them, X-Comfy-Request-Id, or X-Service-Request-Id (default: comfy)
  --json    print one line of JSON and nothing else (with npm: npm run --silent sandbox -- --json)
  --help    print this`;

export interface CommandLine {
	port: number | undefined;
	json: boolean;
	requestIdHeader: Behaviour['requestIdHeader'];
	help: boolean;
}

/** @throws Error with a message for people. */
export function readCommandLine(args: string[]): CommandLine {
	const { values } = parseArgs({
		args,
		options: {
			port: { type: 'string' },
			json: { type: 'boolean', default: false },
			headers: { type: 'string', default: 'comfy' },
			help: { type: 'boolean', default: false },
		},
	});
	return {
		port: values.port === undefined ? undefined : readPort(values.port),
		json: values.json,
		requestIdHeader: readSpelling(values.headers),
		help: values.help,
	};
}

function readSpelling(word: string): Behaviour['requestIdHeader'] {
	if (word === 'comfy') return 'X-Comfy-Request-Id';
	if (word === 'service') return 'X-Service-Request-Id';
	throw new Error(`--headers must be comfy or service, not ${JSON.stringify(word)}`);
}

function readPort(text: string): number {
	const port = /^\d+$/.test(text) ? Number(text) : NaN;
	if (port >= 1 && port <= HIGHEST_FIRST_PORT) return port;
	throw new Error(`--port must be a number from 1 to ${HIGHEST_FIRST_PORT}, not ${JSON.stringify(text)}`);
}
