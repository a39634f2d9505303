import { connect, type EngineConnection, type Job } from '../../../client';
import { failureOf } from '../support/bytes';
import { json, serve } from '../support/server';
import { useEngine } from './support/engine';
import { newGraph } from '../support/graphs';

const engine = useEngine();

it('joins what the server printed in turn, for each job alike, and knows whether the engine has dropped lines', async () => {
	const { jobs } = engine.connect();
	const [first, second] = [await jobs.submit({ graph: newGraph() }), await jobs.submit({ graph: newGraph() })];
	engine.sandbox.restartEngine();
	for (const text of ['\r 50%', '\r100%\n', 'done\n']) engine.sandbox.print(text);
	for (const job of [first, second]) {
		await expect(jobs.log?.(job)).resolves.toEqual({ text: '\r 50%\r100%\ndone\n', of: 'server', isComplete: true });
	}
	for (let line = 0; line < 296; line++) engine.sandbox.print(`${line}\n`);
	await expect(jobs.log?.(first)).resolves.toMatchObject({ isComplete: true });
	engine.sandbox.print('last\n');
	await expect(jobs.log?.(second)).resolves.toMatchObject({ text: expect.stringMatching(/\nlast\n$/), isComplete: false });
	expect(engine.sandbox.requests('GET /internal/logs/raw')).toHaveLength(4);
});

it.each(['', '/comfy', '/one/two'])('reads the log below the address that was entered, and not below /api (%s)', async (mount) => {
	const server = await serve(json(200, { entries: [{ t: '2026-11-27T19:37:15.176578', m: 'a' }, { m: 5 }, 'b'] }));
	const { jobs, close } = connect({ interface: 'engine', baseUrl: `${server.origin}${mount}/api` }) as EngineConnection;
	await expect(jobs.log?.({} as Job)).resolves.toMatchObject({ text: 'a' });
	expect(server.seen.map(({ url }) => url)).toEqual([`${mount}/internal/logs/raw`]);
	await close();
	await server.close();
});

it.each([{}, { entries: 'text' }, []])('does not take another answer for a log: %j', async (answer) => {
	engine.sandbox.inject({ on: 'GET /internal/logs/raw', answer: { status: 200, json: answer } });
	expect(await failureOf(engine.connect().jobs.log?.({} as Job) ?? Promise.resolve())).toMatchObject({
		facts: { reason: 'unexpected', status: 200 },
	});
});
