/** Runs the sandbox alone, until SIGINT or SIGTERM. Its standard output is for whoever started it; see `--help`. */
import { describeSandbox, describeSandboxAsJson } from './describeSandbox';
import { startSandbox } from './startSandbox';
import { readCommandLine, USAGE, type CommandLine } from './commandLine';

const EXIT_FAILED = 1;
const EXIT_BAD_USAGE = 2;
const PARENT_CHECK_MS = 200;

async function main(): Promise<void> {
	let commandLine: CommandLine;
	try {
		commandLine = readCommandLine(process.argv.slice(2));
	} catch (error) {
		return complain(`${messageOf(error)}\n\n${USAGE}`, EXIT_BAD_USAGE);
	}
	if (commandLine.help) {
		process.stdout.write(`${USAGE}\n`);
		return;
	}
	await run(commandLine);
}

async function run({ port, json, requestIdHeader }: CommandLine): Promise<void> {
	try {
		const sandbox = await startSandbox({ requestIdHeader, ...(port !== undefined && { port }) });
		const stop = (): void => {
			void sandbox.close().then(() => process.exit(0));
		};
		process.once('SIGINT', stop);
		process.once('SIGTERM', stop);
		stopWithNpm(stop);
		process.stdout.write(`${json ? describeSandboxAsJson(sandbox) : describeSandbox(sandbox)}\n`);
	} catch (error) {
		complain(cannotStart(error), EXIT_FAILED);
	}
}

/** npm passes a signal on to its shell only, which dies of it and leaves this process without a parent. */
function stopWithNpm(stop: () => void): void {
	if (process.env.npm_lifecycle_event === undefined) return;
	const parent = process.ppid;
	const watch = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(watch);
		stop();
	}, PARENT_CHECK_MS);
}

function cannotStart(error: unknown): string {
	if (error instanceof Error && 'code' in error && 'port' in error) {
		if (error.code === 'EADDRINUSE')
			return `Port ${String(error.port)} is in use. Choose another with --port N, or leave it out for free ports.`;
		if (error.code === 'EACCES') return `Port ${String(error.port)} may not be used by this account. Choose one above 1023.`;
	}
	return `The sandbox could not start: ${messageOf(error)}`;
}

function complain(message: string, exitCode: number): void {
	process.stderr.write(`${message}\n`);
	process.exitCode = exitCode;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

void main();
