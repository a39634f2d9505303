/** The command line of `npm run sandbox`. */
import { parseArgs } from 'node:util';

/** Seven ports are taken from the first on. */
const HIGHEST_FIRST_PORT = 65_535 - 6;

export const USAGE = `Usage: npm run sandbox -- [--port N] [--json]
  --port N  listen on seven ports, N to N+6: self-hosted, self-hosted with token, hosted, deployment, storage, engine, router (default: free ports)
  --json    print one line of JSON and nothing else (with npm: npm run --silent sandbox -- --json)
  --help    print this`;

export interface CommandLine {
	port: number | undefined;
	json: boolean;
	help: boolean;
}

/** @throws Error with a message for people. */
export function readCommandLine(args: string[]): CommandLine {
	const { values } = parseArgs({
		args,
		options: { port: { type: 'string' }, json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
	});
	return { port: values.port === undefined ? undefined : readPort(values.port), json: values.json, help: values.help };
}

function readPort(text: string): number {
	const port = /^\d+$/.test(text) ? Number(text) : NaN;
	if (port >= 1 && port <= HIGHEST_FIRST_PORT) return port;
	throw new Error(`--port must be a number from 1 to ${HIGHEST_FIRST_PORT}, not ${JSON.stringify(text)}`);
}
