/** The frames that the hosted account and an engine send have the form that contract/v1.yaml gives them. */
import { startSandbox, type Sandbox } from '../../sandbox';
import { failingGraph, slowGraph } from '../client/support/graphs';
import { Listener } from './listener';
import { everyKind } from './operations/operationTable';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ progressIntervalMs: 5 });
});
afterAll(async () => await sandbox.close());

test.each(['hosted', 'engine'] as const)('jobs of %s that succeed, fail and are stopped send frames as described', async (surface) => {
	const address = sandbox.urls[surface];
	const headers = { 'x-api-key': sandbox.keys.apiKey, 'content-type': 'application/json' };
	const post = async (path: string, json: object) =>
		await fetch(`${address}/api${path}`, { method: 'POST', headers, body: JSON.stringify(json) });
	const start = async (prompt: object): Promise<string> => {
		const answer = await post('/prompt', { prompt, client_id: 'listener' });
		return ((await answer.json()) as { prompt_id: string }).prompt_id;
	};
	const graph = slowGraph(5, 10);
	const talking = {
		...graph,
		talk: { class_type: 'SandboxTalk', inputs: { image: ['2', 0], text: 'Ümlaut' } },
		'3': { class_type: 'SaveImage', inputs: { images: ['talk', 0], filename_prefix: 'talk' } },
	};

	const listener = await Listener.open(`${address}/ws?clientId=listener&token=${sandbox.keys.apiKey}`);
	await listener.next('status');
	for (const job of [await start(talking), await start(everyKind()), await start(failingGraph())]) await listener.ended(job);
	const stopped = await start(slowGraph(1_000, 10));
	await listener.next('executing', stopped);
	await post('/interrupt', {});
	await listener.ended(stopped);
	await listener.close();
	expect(listener.problems).toEqual([]);
	expect(new Set(listener.texts.map(({ type }) => type))).toEqual(
		new Set([
			...['status', 'executing', 'executed', 'progress', 'progress_state', ...(surface === 'hosted' ? ['notification'] : [])],
			...['execution_start', 'execution_cached', 'execution_success', 'execution_error', 'execution_interrupted'],
		]),
	);
	expect(listener.binaries.find(({ code }) => code === 3)).toMatchObject({ nodeId: 'talk', rest: Buffer.from('Ümlaut') });
	expect(listener.binaries.some(({ code }) => code !== 3)).toBe(true);
});

test('the socket of the account is refused without its key', async () => {
	await expect(Listener.open(`${sandbox.urls.hosted}/ws?token=wrong`)).rejects.toThrow('401');
});
