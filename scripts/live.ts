/** `npm run live`: checks the client against a real ComfyUI and its API proxy. It needs no model, no account and no n8n. */
import { type CommandLine, readCommandLine, USAGE } from './live/commandLine';
import { runLive } from './live/runLive';

const EXIT_FAILED = 1;
const EXIT_BAD_USAGE = 2;

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
	// A ComfyUI that was started here ends with this process.
	for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(EXIT_FAILED));
	void runLive(commandLine, (line) => console.log(line)).then((hasHeld) => process.exit(hasHeld ? 0 : EXIT_FAILED));
}

main();
