import { until } from '../../support/until';
import { colorGraph, slowGatedGraph, slowGraph } from '../support/graphs';
import { deliver, deliveredLater, useScene } from './support/scene';
import { runFaster } from '../../support/fastClock';

runFaster(5);

const scene = useScene();
const storyOf = (items: Array<{ json: { milestone?: unknown; kind?: unknown } }>): unknown[] =>
	items.map(({ json }) => json.milestone ?? json.kind);
/** Steps that a sampler between two quick nodes passes on its way. */
const SAMPLING = deliver('milestones', { milestones: '40, 50, 60' });

it('a lost connection twice during a job changes nothing: each milestone and the end are reported once', async () => {
	const trigger = await scene.listen(SAMPLING);
	await scene.connected();
	await scene.submit(slowGraph(50, 120, 41));
	await trigger.until(1);
	scene.sandbox.dropSockets('hosted');
	await trigger.until(2);
	scene.sandbox.dropSockets('hosted');
	await trigger.until(1, 'finished');
	expect(storyOf(trigger.items)).toEqual([40, 50, 60, 'finished']);
	expect(trigger.failures).toEqual([]);
});

describe('a restart of n8n', () => {
	it('while a job ends reports the end once, and no milestone again', async () => {
		const before = await scene.listen(SAMPLING);
		await scene.connected();
		scene.sandbox.configure({ gateOpen: false });
		const job = await scene.submit(slowGatedGraph(12, 50, 51));
		await before.until(2);
		await before.close();
		scene.sandbox.configure({ gateOpen: true });
		await until(() => scene.sandbox.job(job.job_id)?.status === 'succeeded');
		const after = await scene.listen({ ...SAMPLING, staticData: before.stored });
		await after.until(1, 'finished');
		await after.close();
		const again = await scene.listen({ ...SAMPLING, staticData: after.stored });
		await scene.connected();
		const next = await scene.submit(colorGraph(52));
		await again.until(1, 'finished');
		expect(storyOf([...before.items, ...after.items])).toEqual([40, 50, 'finished']);
		expect(again.items.filter(({ json }) => json.job_id !== next.job_id)).toEqual([]);
	});

	it('reports the output and the end of a job again if n8n crashed before it stored the execution', async () => {
		const [delivery, kinds] = ['eachOutput', ['output', 'finished']] as const;
		const before = await scene.listen({ ...deliver(delivery), losesExecutions: true });
		await scene.connected();
		const lost = await scene.submit(colorGraph(59));
		await until(() => JSON.stringify(before.stored).includes(`"ended":{"${lost.job_id}`));
		await before.close();
		const after = await scene.listen({ ...deliver(delivery), staticData: before.stored });
		await after.until(1, 'finished');
		await after.close();
		expect(after.items.map(({ json }) => [json.job_id, json.kind])).toEqual(kinds.map((kind) => [lost.job_id, kind]));
		const again = await scene.listen({ ...deliver(delivery), staticData: after.stored });
		await scene.connected();
		await scene.submit(colorGraph(60));
		await again.until(1, 'finished');
		expect(again.items.filter(({ json }) => json.job_id === lost.job_id)).toEqual([]);
	});

	it('of n8n 1 reports no end again, because n8n 1 would start a second execution', async () => {
		const before = await scene.listen({ ...deliver('onlyWhenFinished'), withoutKeys: true });
		await scene.connected();
		const reported = await scene.submit(colorGraph(61));
		await before.until(1, 'finished');
		await before.close();
		const after = await scene.listen({ ...deliver('onlyWhenFinished'), withoutKeys: true, staticData: before.stored });
		await scene.connected();
		const next = await scene.submit(colorGraph(62));
		await after.until(1, 'finished');
		expect(before.items.map(({ json }) => json.job_id)).toEqual([reported.job_id]);
		expect(after.items.map(({ json }) => json.job_id)).toEqual([next.job_id]);
	});

	it('reports an end that a service with a slow clock dates before the last delivery', async () => {
		const before = await scene.listen(deliver('onlyWhenFinished'));
		await scene.connected();
		await scene.submit(colorGraph(57));
		await before.until(1);
		await before.close();
		const missed = await scene.submit(colorGraph(58));
		await until(() => scene.sandbox.job(missed.job_id)?.status === 'succeeded');
		const after = await scene.listen({ ...deliver('onlyWhenFinished'), staticData: deliveredLater(before.stored, 30_000) });
		await after.until(1);
		expect(after.items).toMatchObject([{ json: { kind: 'finished', job_id: missed.job_id } }]);
	});
});
