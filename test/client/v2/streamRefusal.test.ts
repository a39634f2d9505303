import { ApiError } from '../../../client';
import { failureOf } from '../support/bytes';
import { slowGraph } from '../support/graphs';
import { EVENTS, READ, useWaits, wait } from '../support/waits';

const { harness, started, count } = useWaits();

const refuse = (afterEvents: number) =>
	harness.sandbox.inject({ on: EVENTS, fault: { kind: 'error_event', code: 'upstream_unreachable', afterEvents } });

test('X: an event stream that ends with a frame `error` ends with the refusal that it carries', async () => {
	const { connection, job } = await started('hosted', slowGraph(20, 50));
	refuse(1);
	const kinds: string[] = [];
	const failure = await failureOf(
		(async () => {
			for await (const { kind } of connection.jobs.events(job)) kinds.push(kind);
		})(),
	);
	expect(failure).toBeInstanceOf(ApiError);
	expect(failure).toMatchObject({ interface: 'v2', code: 'upstream_unreachable', message: 'Injected upstream_unreachable' });
	expect(kinds).toEqual(['status']);
});

test('X: the wait goes on by reads, and opens no further stream', async () => {
	const { connection, job } = await started('hosted', slowGraph(10, 60));
	refuse(2);
	await expect(wait(connection, job)).resolves.toMatchObject({ finished: true, job: { status: 'succeeded' } });
	expect([count(EVENTS), count(READ) > 2]).toEqual([1, true]);
});
