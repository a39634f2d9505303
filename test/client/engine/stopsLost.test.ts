import { ServerContact, type SubmitOptions } from '../../../client';
import { gatedGraph } from '../../nodes/support/graphs';
import { newGraph, newKey, PROMPT, useEngine } from './support/engine';

const engine = useEngine();
const GRAPH = newGraph();

/** A retry, before which n8n has lost all records. */
async function retry(idempotencyKey: string, laterIds: string[], graph = GRAPH) {
	const found: unknown[] = [];
	const options = { idempotencyKey, keyIsOurs: true, earlier: { lostRecord: { since: Date.now() - 1_000, laterIds } } };
	const onEvent: SubmitOptions['onEvent'] = (event) => void (event.type === 'recovered' && found.push(event.laterId));
	const { job_id, status } = await engine.submit({ ...options, onEvent }, { contact: new ServerContact(30_000) }, graph);
	return { job_id, status, found };
}

const submitted = async (idempotencyKey: string): Promise<string> =>
	(await engine.submit({ idempotencyKey, keyIsOurs: true }, {}, GRAPH)).job_id;

const LOOKS = { asked_for: ['/api/jobs', '/api/queue', '/api/history'], own: ['/api/queue', '/api/history'] };

describe.each(['asked_for', 'own'] as const)('n8n has lost that it was stopped, and what came after (ids: %s)', (enginePromptIds) => {
	beforeEach(() => void engine.sandbox.configure({ enginePromptIds, workers: 4 }));

	test('the job after two stops is found, and nothing is sent', async () => {
		const [own, later, last] = [newKey(), newKey(), newKey()];
		// An engine keeps nothing of what was taken out of its queue.
		engine.sandbox.configure({ workers: 0 });
		for (const key of [own, later]) await engine.connect().jobs.cancel(await submitted(key));
		engine.sandbox.configure({ workers: 4 });
		const jobId = await submitted(last);
		await engine.ended(jobId);
		engine.sandbox.resetRecords();
		expect(await retry(own, [later, last])).toMatchObject({ job_id: jobId, found: [last] });
		expect(engine.count(PROMPT)).toBe(0);
	});

	test('returns the job that took the place of another, not the other, whatever its status is', async () => {
		const [own, later] = [newKey(), newKey()];
		await submitted(own);
		const jobId = await submitted(later);
		expect(await retry(own, [later])).toMatchObject({ job_id: jobId, found: [later] });
	});

	test('M3: returns the newest job when stops have canceled all of them', async () => {
		engine.sandbox.configure({ gateOpen: false });
		const keys = [newKey(), newKey(), newKey()] as const;
		const graph = gatedGraph();
		for (const idempotencyKey of keys) {
			const { jobs } = engine.connect();
			const { job_id } = await jobs.submit({ graph }, { idempotencyKey, keyIsOurs: true });
			await engine.running(job_id);
			await jobs.cancel(job_id);
			await engine.ended(job_id);
		}
		expect(await retry(keys[0], keys.slice(1), graph)).toMatchObject({ status: 'canceled', found: [keys[2]] });
	});

	test('where there is none it is sent, under its own key; all of them are looked for together', async () => {
		const own = newKey();
		await submitted(newKey());
		engine.sandbox.resetRecords();
		expect((await retry(own, [newKey(), newKey(), newKey()])).found).toEqual([]);
		expect(engine.requests(PROMPT).map(({ bodyText }) => (JSON.parse(bodyText) as { prompt_id: string }).prompt_id)).toEqual([own]);
		const looks = engine.sandbox.requests(undefined, 'engine').filter(({ method }) => method === 'GET');
		expect(looks.map(({ path }) => path.replace(own, ':own'))).toEqual(['/api/system_stats', ...LOOKS[enginePromptIds]]);
	});
});
