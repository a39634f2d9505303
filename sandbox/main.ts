/** `npm run sandbox`: runs the sandbox until SIGINT or SIGTERM. `--help` describes its output. */
import { parseArgs } from 'node:util';
import type { Behaviour } from './behaviour';
import type { Sandbox } from './types';

/** The sandbox takes seven consecutive ports. */
const HIGHEST_FIRST_PORT = 65_535 - 6;

const USAGE = `Usage: npm run sandbox -- [--port N] [--json] [--headers comfy|service]
  --port N  listen on seven ports, N to N+6: self-hosted, self-hosted with token, hosted, deployment, storage, engine, router (default: free ports)
  --headers comfy|service
            vendor headers as the public service spells them, X-Comfy-Request-Id, or X-Service-Request-Id (default: comfy)
  --json    print one line of JSON and nothing else (with npm: npm run --silent sandbox -- --json)
  --help    print this`;

const REQUEST_ID_HEADERS: Readonly<Record<string, Behaviour['requestIdHeader']>> = {
	comfy: 'X-Comfy-Request-Id',
	service: 'X-Service-Request-Id',
};

/** @throws Error with a message for the terminal. */
function readCommandLine(args: string[]) {
	const { values } = parseArgs({
		args,
		options: {
			port: { type: 'string' },
			json: { type: 'boolean', default: false },
			headers: { type: 'string', default: 'comfy' },
			help: { type: 'boolean', default: false },
		},
	});
	const { headers, port, ...rest } = values;
	const requestIdHeader = REQUEST_ID_HEADERS[headers];
	if (requestIdHeader === undefined) throw new Error(`--headers must be comfy or service, not ${JSON.stringify(headers)}`);
	return { ...rest, requestIdHeader, ...(port !== undefined && { port: readPort(port) }) };
}

function readPort(text: string): number {
	const port = /^\d+$/.test(text) ? Number(text) : NaN;
	if (port >= 1 && port <= HIGHEST_FIRST_PORT) return port;
	throw new Error(`--port must be a number from 1 to ${HIGHEST_FIRST_PORT}, not ${JSON.stringify(text)}`);
}

/** @returns a page for people. */
function describeSandbox({ urls, keys, seeds }: Sandbox): string {
	return `The sandbox is running. Stop it with Ctrl+C.

Addresses
  hosted                  ${urls.hosted}
  deployment              ${urls.deployment}
  self-hosted             ${urls.self_hosted}
  self-hosted with token  ${urls.self_hosted_token_url}
  storage                 ${urls.storage}  (signed links only)
  engine                  ${urls.engine}  (the one behind self-hosted)
  router                  ${urls.router}  (paths begin with /v1 or /v2)

On hosted, beside v2
  v1 (deprecated)         ${urls.hosted}/api  (header X-API-Key)
  v1 live events          ${urls.hosted.replace('http', 'ws')}/ws?clientId=<any id>&token=<API key>

Keys
  API key (hosted, deployment, router) ${keys.apiKey}
  API key of another account      ${keys.otherApiKey}
  Bearer (self-hosted with token) ${keys.bearer}
  Partner key (extra data)        ${keys.partnerKey}
  JWT (router)                    ${keys.jwt}

Jobs on hosted
  pinned to a saved version       ${seeds.pinnedJob}
  pinned to a deleted version     ${seeds.deletedVersionJob}
  past its retention (404)        ${seeds.expiredJob}
  of another account (404)        ${seeds.foreignJob}

Try
  curl -H 'Authorization: Bearer ${keys.apiKey}' ${urls.hosted}/api/v2/jobs/${seeds.pinnedJob}/workflow
  curl -H 'X-API-Key: ${keys.apiKey}' ${urls.hosted}/api/jobs
  curl -H 'X-API-Key: ${keys.apiKey}' '${urls.router}/v2/models?limit=5'`;
}

const EXIT_FAILED = 1;
const EXIT_BAD_USAGE = 2;
const PARENT_CHECK_MS = 200;

async function main(): Promise<void> {
	let commandLine: ReturnType<typeof readCommandLine>;
	try {
		commandLine = readCommandLine(process.argv.slice(2));
	} catch (error) {
		return printError(`${messageOf(error)}\n\n${USAGE}`, EXIT_BAD_USAGE);
	}
	const { json, help, ...options } = commandLine;
	if (help) return void process.stdout.write(`${USAGE}\n`);
	try {
		// Only now: the image library and the web server take a second to load, and a wrong command line needs neither.
		const { startSandbox } = await import('./startSandbox.js');
		const sandbox = await startSandbox(options);
		const stop = (): void => {
			void sandbox.close().then(() => process.exit(0));
		};
		process.once('SIGINT', stop);
		process.once('SIGTERM', stop);
		stopWithNpm(stop);
		const { urls, keys } = sandbox;
		const facts = { ...urls, api_key: keys.apiKey, jwt: keys.jwt, bearer: keys.bearer };
		process.stdout.write(`${json ? JSON.stringify(facts) : describeSandbox(sandbox)}\n`);
	} catch (error) {
		printError(startMessage(error), EXIT_FAILED);
	}
}

/** npm sends a signal only to its shell. The shell ends, and this process loses its parent. */
function stopWithNpm(stop: () => void): void {
	if (process.env.npm_lifecycle_event === undefined) return;
	const parent = process.ppid;
	const watch = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(watch);
		stop();
	}, PARENT_CHECK_MS);
}

function startMessage(error: unknown): string {
	if (error instanceof Error && 'code' in error && 'port' in error) {
		if (error.code === 'EADDRINUSE')
			return `Port ${String(error.port)} is in use. Choose another with --port N, or leave it out for free ports.`;
		if (error.code === 'EACCES') return `Port ${String(error.port)} may not be used by this account. Choose one above 1023.`;
	}
	return `The sandbox could not start: ${messageOf(error)}`;
}

function printError(message: string, exitCode: number): void {
	process.stderr.write(`${message}\n`);
	process.exitCode = exitCode;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

void main();
