/** `npm run live` in this process, and the servers that it checks. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox';
import { readCommandLine, runLive } from '../../../scripts/live/runLive';

/** Names of checks are padded to it. */
const NAME_WIDTH = 22;
const WAIT_FOR_SERVER_MS = 2_000;

async function live(...args: string[]) {
	const commandLine = readCommandLine(args);
	if (commandLine === undefined) throw new Error('Only help was asked for');
	const lines: string[] = [];
	const hasHeld = await runLive(commandLine, (line) => lines.push(line), WAIT_FOR_SERVER_MS);
	const marked = (mark: string): string[] =>
		lines.flatMap((line) => (line.startsWith(`${mark} `) ? [line.slice(2, 2 + NAME_WIDTH).trimEnd()] : []));
	return { hasHeld, printed: `${lines.join('\n')}\n`, held: marked('✓'), failed: marked('✗'), notShown: marked('–') };
}

/** All servers are closed after the test. */
export function useLive() {
	const closing: Array<() => Promise<unknown>> = [];
	afterEach(async () => {
		for (const close of closing.splice(0)) await close();
	});

	async function sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
		const started = await startSandbox(options);
		closing.push(() => started.close());
		return started;
	}

	async function server(listener: RequestListener): Promise<string> {
		const started = createServer(listener);
		await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
		closing.push(async () => {
			started.closeAllConnections();
			await new Promise((resolve) => started.close(resolve));
		});
		return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
	}

	/** A command that runs as long as the engine of the sandbox is to be there. If the command is killed, the engine ends too. */
	async function engineCommand({ startEngine, stopEngine, restartEngine }: Sandbox): Promise<string> {
		await stopEngine();
		const control = await server((request, response) => {
			request.socket.once('close', () => {
				restartEngine();
				void stopEngine();
			});
			void startEngine().then(() => response.write('The response ends with the command.'));
		});
		return `"${process.execPath}" -e 'fetch("${control}").then((response) => response.text())'`;
	}

	return { sandbox, server, live, engineCommand };
}
