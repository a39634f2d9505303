/** `npm run live` in this process, and the servers that it checks. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox';
import { readCommandLine, runLive } from '../../../scripts/live/runLive';
import { freePort } from '../../../scripts/n8nHost/processes';

/** Names of checks are padded to it. */
const NAME_WIDTH = 24;
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

	/**
	 * A command that forwards to the engine of the sandbox, and the address where it does. The engine is there as long as the command
	 * runs. If the command is suspended, the address accepts connections and gives no answer.
	 */
	async function startable({ urls, startEngine, stopEngine, restartEngine }: Sandbox): Promise<{ url: string; command: string }> {
		let stopped = stopEngine();
		const control = await server((request, response) => {
			request.socket.once('close', () => {
				restartEngine();
				stopped = stopEngine();
			});
			void stopped.then(startEngine).then(() => response.write('The response ends with the command.'));
		});
		const port = await freePort();
		const script = `fetch("${control}").then((response) => {
			const { connect, createServer } = require("node:net");
			const forward = (near) => require("node:stream").pipeline(near, connect(${new URL(urls.engine).port}, "127.0.0.1"), near, () => undefined);
			createServer(forward).listen(${port}, "127.0.0.1");
			return response.text();
		})`;
		return { url: `http://127.0.0.1:${port}`, command: `"${process.execPath}" -e '${script}'` };
	}

	return { sandbox, server, live, startable };
}
