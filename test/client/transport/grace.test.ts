import { getMaxListeners } from 'node:events';

import { StoppedError } from '../../../client';
import { withGrace } from '../../../client/transport/grace';
import { failureOf } from '../support/bytes';
import { until } from '../../support/until';

test('work is told of a stop only when its grace is over', async () => {
	const stop = new AbortController();
	const told: boolean[] = [];
	const work = withGrace(stop.signal, 50, async (later) => {
		stop.abort();
		told.push(later.aborted);
		await until(() => later.aborted);
	});
	await work;
	expect(told).toEqual([false]);
});

test('after the stop nothing is begun', async () => {
	const work = jest.fn();
	expect(await failureOf(withGrace(AbortSignal.abort(), 50, work))).toBeInstanceOf(StoppedError);
	expect(work).not.toHaveBeenCalled();
});

test('any number may have their grace of one signal, without a warning', async () => {
	const { signal } = new AbortController();
	let end = (): void => undefined;
	const ended = new Promise<void>((resolve) => (end = resolve));
	const working = Array.from({ length: 30 }, () => withGrace(signal, 50, async () => await ended));
	// Node warns (on the real process, out of this test's sight) when there are more listeners than this.
	expect(getMaxListeners(signal)).toBe(Infinity);
	end();
	await Promise.all(working);
});
