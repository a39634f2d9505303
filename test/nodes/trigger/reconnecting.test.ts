import { slowGraph } from '../support/graphs';
import { startSandbox } from '../../../sandbox';
import { connect } from '../../../client';
import { credentialFor } from '../support/flavours';
import { deliver, eventually, useScene } from './support/scene';
import { startTrigger } from './support/trigger';

const scene = useScene();
const milestonesOf = (items: Array<{ json: object }>): unknown[] => items.map(({ json }) => ('milestone' in json && json.milestone) ?? ('kind' in json && json.kind));
const STORY = [25, 50, 75, 'finished'];

describe('a lost connection', () => {
	it('twice in mid-job changes nothing: each milestone once, the end once', async () => {
		const trigger = await scene.listen(deliver('milestones'));
		await scene.connected();
		await scene.submit(slowGraph(60, 50, 41));
		await trigger.until(1);
		scene.sandbox.dropSockets('hosted');
		await trigger.until(2);
		scene.sandbox.dropSockets('hosted');
		await trigger.until(1, 'finished');
		expect(milestonesOf(trigger.items)).toEqual(STORY);
		expect(trigger.failures).toEqual([]);
	});

	it('while the job ends loses no end', async () => {
		scene.sandbox.inject({ on: 'GET /ws', skip: 1, times: 2, answer: { status: 503 } });
		const trigger = await scene.listen(deliver('onlyWhenFinished'));
		await scene.connected();
		const job = await scene.submit(slowGraph(3, 50, 42));
		scene.sandbox.dropSockets('hosted');
		await trigger.until(1);
		expect(trigger.items).toMatchObject([{ json: { kind: 'finished', job_id: job.job_id, outputs: [{ node_id: '3' }] } }]);
	});

	it('tells of jobs that came and went meanwhile', async () => {
		scene.sandbox.inject({ on: 'GET /ws', skip: 1, times: 1, answer: { status: 503 } });
		const trigger = await scene.listen(deliver('onlyWhenFinished'));
		await scene.connected();
		scene.sandbox.dropSockets('hosted');
		await scene.connected(0);
		const job = await scene.submit(slowGraph(1, 1, 43));
		await trigger.until(1);
		expect(trigger.items).toMatchObject([{ json: { job_id: job.job_id, status: 'succeeded' } }]);
	});

	it('after an oversized frame or among garbage is no failure', async () => {
		scene.sandbox.inject({ on: 'GET /ws', fault: { kind: 'garbage_socket' } });
		const trigger = await scene.listen(deliver('onlyWhenFinished'));
		await scene.connected();
		await scene.submit(slowGraph(3, 10, 44));
		await trigger.until(1);
		expect(trigger.failures).toEqual([]);
	});
});

it('a service that is down when n8n starts is no failure', async () => {
	const first = await startSandbox();
	const port = Number(new URL(first.urls.self_hosted).port);
	const credential = credentialFor(first);
	await first.close();
	const trigger = await startTrigger({ credential, ...deliver('onlyWhenFinished') });
	await eventually(() => trigger.logged.length > 0);
	expect(trigger.logged[0]).toMatch(/Nothing answers at .* the connection was refused.*Hosted URL/);
	expect(trigger.failures).toEqual([]);

	const second = await startSandbox({ port: port });
	const { keys, urls } = second;
	// Keys are made anew, so the trigger of a user whose key still holds is a new one.
	const alive = await startTrigger({ credential: credentialFor(second), ...deliver('onlyWhenFinished') });
	await eventually(() => second.sockets('hosted').length > 0);
	const client = connect({ interface: 'v1', baseUrl: urls.hosted, token: keys.apiKey });
	await client.jobs.submit({ graph: slowGraph(2, 5, 45) });
	await alive.until(1);
	await Promise.all([trigger.close(), alive.close(), client.close()]);
	await second.close();
});
