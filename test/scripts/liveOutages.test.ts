/** `npm run live -- --start`: ComfyUI is switched off, restarted, and its queue is cleared. The clock is the real one. */
import type { Sandbox } from '../../sandbox';
import { deadOrigin } from '../client/support/deadOrigin';
import { CHECKS, live, OUTAGES, PROXY_CHECKS, sandbox, server } from './support/live';

/** A command for `--start` that runs as long as the sandbox's engine is to be there. */
async function engineCommand({ startEngine, stopEngine, restartEngine }: Sandbox): Promise<string> {
	await stopEngine();
	const switches: Record<string, () => Promise<void>> = {
		'/start': startEngine,
		'/stop': async () => {
			restartEngine();
			await stopEngine();
		},
	};
	const control = await server((request, response) => void switches[request.url ?? '']?.().then(() => response.end()));
	const script = `fetch("${control}/start"); process.on("SIGTERM", () => fetch("${control}/stop").then(() => process.exit())); setInterval(() => 0, 1000);`;
	return `"${process.execPath}" -e '${script}'`;
}

test('with --start, ComfyUI is stopped and restarted, its queue is cleared, and each outage is reported with its cause', async () => {
	const started = await sandbox();
	const { urls } = started;
	const command = await engineCommand(started);
	const options = ['--url', urls.engine, '--proxy', urls.self_hosted, '--start', command, '--wait-for-server', '2'];
	const { hasHeld, held, printed } = await live(...options);
	const expected = ['Start ComfyUI', ...CHECKS, ...OUTAGES, ...PROXY_CHECKS, ...OUTAGES];
	expect({ held, hasHeld, printed }).toMatchObject({ held: expected, hasHeld: true });
	expect(printed).toMatch(/✓ Switched off +search 2\.\d s, upload 2\.\d s, submission 2\.\d s: The connection was refused \(http:\/\/127/);
	await expect(fetch(urls.engine)).rejects.toThrow();
});

test('--start ends nothing that it did not start', async () => {
	const { urls } = await sandbox();
	const { hasHeld, printed } = await live('--url', urls.engine, '--start', 'sleep 100');
	expect([hasHeld, printed]).toEqual([false, expect.stringMatching(/✗ Start ComfyUI +something answers at http.* already/)]);
	expect((await fetch(`${urls.engine}/api/queue`)).status).toBe(200);
});

test('a command that starts nothing is reported with what it printed', async () => {
	const { hasHeld, printed } = await live('--url', await deadOrigin(), '--start', 'echo no such folder; exit 3');
	expect([hasHeld, printed]).toEqual([
		false,
		expect.stringMatching(/✗ Start ComfyUI +the command of --start ended with 3:\nno such folder/),
	]);
});
