/** `npm run live`: checks the client against a real ComfyUI and its API proxy. It needs no model, no account and no n8n. */
import { type CommandLine, readCommandLine, USAGE, runLive } from './live/runLive';

const EXIT_FAILED = 1;
const EXIT_BAD_USAGE = 2;
/** Time to end after the signal. */
const GRACE_MS = 15_000;

/** Ends this process on a signal or when the time is over; a ComfyUI that was started here ends with it. */
function limit({ seconds }: CommandLine): void {
	for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(EXIT_FAILED));
	setTimeout(giveUp, seconds * 1000 + GRACE_MS).unref();
}

function giveUp(): void {
	console.error('\nThe time was over, and something did not end.');
	process.exit(EXIT_FAILED);
}

function main(): void {
	let commandLine: CommandLine | undefined;
	try {
		commandLine = readCommandLine(process.argv.slice(2));
	} catch (error) {
		console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
		process.exitCode = EXIT_BAD_USAGE;
		return;
	}
	if (commandLine === undefined) return console.log(USAGE);
	limit(commandLine);
	void runLive(commandLine, (line) => console.log(line)).then((hasHeld) => process.exit(hasHeld ? 0 : EXIT_FAILED));
}

main();
