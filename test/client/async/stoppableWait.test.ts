import { StoppedError } from '../../../client';
import { joinSet, type Waiter, stoppableWait } from '../../../client/async/stoppableWait';
import { failureOf } from '../support/bytes';

function newLine() {
	const waiters = new Set<Waiter<string>>();
	const [first, second] = [new AbortController(), new AbortController()];
	const wait = async (): Promise<string> => await stoppableWait([first.signal, second.signal], joinSet(waiters));
	return { waiters, first, second, wait };
}

test('each of two waits ends with its own value, and leaves the line before its caller continues', async () => {
	const { waiters, wait } = newLine();
	const waits = [wait(), wait()];
	for (const [index, waiter] of [...waiters].entries()) {
		waiter.resolve(`value ${index}`);
		waiter.resolve('a later value');
		expect(waiters.size).toBe(1 - index);
	}
	await expect(Promise.all(waits)).resolves.toEqual(['value 0', 'value 1']);
});

test.each(['first', 'second'] as const)('the %s of two signals stops both waits, and the next one before it joins', async (name) => {
	const { waiters, wait, ...stops } = newLine();
	const waits = [wait(), wait()].map(async (one) => await failureOf(one));
	const left = [...waiters];
	stops[name].abort();
	for (const waiter of left) waiter.resolve('too late');
	for (const failure of [...(await Promise.all(waits)), await failureOf(wait())]) expect(failure).toBeInstanceOf(StoppedError);
	expect(waiters.size).toBe(0);
});
