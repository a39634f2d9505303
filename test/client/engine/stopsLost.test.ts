import type { SubmitOptions } from '../../../client';
import { gatedGraph } from '../../nodes/support/graphs';
import { newGraph, PROMPT, useEngine } from './support/engine';
import { newKey } from './support/lost';

const engine = useEngine();

/** As a retry knows it, before which n8n has lost all records. */
const asRetry = (idempotencyKey: string, laterIds: string[], onFound: SubmitOptions['onFound']): SubmitOptions => ({
	idempotencyKey,
	keyIsOurs: true,
	mayExistSince: Date.now() - 1_000,
	laterIds,
	onFound,
});

const submitted = async (idempotencyKey: string): Promise<string> => (await engine.submit({ idempotencyKey, keyIsOurs: true })).job_id;

/** Taken out of the queue: the engine keeps nothing of it. */
async function stoppedWhileItWaits(key: string): Promise<void> {
	engine.sandbox.configure({ workers: 0 });
	await engine.connect().jobs.cancel(await submitted(key));
	engine.sandbox.configure({ workers: 4 });
}

const LOOKS = { asked_for: ['/api/jobs', '/api/queue', '/api/history'], own: ['/api/queue', '/api/history'] };

describe.each(['asked_for', 'own'] as const)('n8n has lost that it was stopped, and what came after (ids: %s)', (enginePromptIds) => {
	beforeEach(() => void engine.sandbox.configure({ enginePromptIds, workers: 4 }));

	test.each([1, 2])('the job after %d stops is found, and nothing is sent', async (stops) => {
		const keys = [newKey(), newKey(), newKey()];
		for (const key of keys.slice(0, stops)) await stoppedWhileItWaits(key);
		const last = keys[stops] as string;
		const jobId = await submitted(last);
		await engine.ended(jobId);
		engine.sandbox.resetRecords();
		const found: unknown[] = [];
		const options = asRetry(keys[0] as string, keys.slice(1), (laterId) => found.push(laterId));
		await expect(engine.submit(options)).resolves.toMatchObject({ job_id: jobId });
		expect([found, engine.count(PROMPT)]).toEqual([[last], 0]);
	});

	test('its own job comes before any other', async () => {
		const [own, later] = [newKey(), newKey()];
		const jobId = await submitted(own);
		await submitted(later);
		const found: unknown[] = [];
		const options = asRetry(own, [later], (laterId) => found.push(laterId));
		await expect(engine.submit(options)).resolves.toMatchObject({ job_id: jobId });
		expect(found).toEqual([undefined]);
	});

	test('M3: returns the newest job when stops have canceled all of them', async () => {
		engine.sandbox.configure({ gateOpen: false });
		const keys = [newKey(), newKey(), newKey()];
		for (const key of keys) {
			const { jobs } = engine.connect();
			const { job_id } = await jobs.submit({ graph: gatedGraph() }, { idempotencyKey: key, keyIsOurs: true });
			await engine.running(job_id);
			await jobs.cancel(job_id);
			await engine.ended(job_id);
		}
		const found: unknown[] = [];
		const options = asRetry(keys[0] as string, keys.slice(1), (laterId) => found.push(laterId));
		const job = await engine.submit(options);
		expect(job).toMatchObject({ status: 'canceled' });
		expect(found).toEqual([keys[2]]);
	});

	test('a key of the user’s own is asked for by its id, however long ago it was used', async () => {
		const options = { idempotencyKey: 'order 17' };
		const { job_id } = await engine.submit(options);
		engine.sandbox.resetRecords();
		const again = engine.submit({ ...options, mayExistSince: Date.now() });
		await expect(again).resolves.toMatchObject({ job_id });
		expect([engine.count(PROMPT), engine.count('GET /api/jobs')]).toEqual([0, 0]);
	});

	test('where there is none it is sent, under its own key; all of them are looked for together', async () => {
		const own = newKey();
		const { jobs } = engine.connect();
		await submitted(newKey());
		engine.sandbox.resetRecords();
		const found: unknown[] = [];
		await jobs.submit(
			{ graph: newGraph() },
			asRetry(own, [newKey(), newKey(), newKey()], (laterId) => found.push(laterId)),
		);
		expect(engine.requests(PROMPT).map(({ bodyText }) => (JSON.parse(bodyText) as { prompt_id: string }).prompt_id)).toEqual([own]);
		expect(found).toEqual([]);
		const looks = engine.sandbox.requests(undefined, 'engine').filter(({ method }) => method === 'GET');
		expect(looks.map(({ path }) => path.replace(own, ':own'))).toEqual(['/api/system_stats', ...LOOKS[enginePromptIds]]);
	});
});
