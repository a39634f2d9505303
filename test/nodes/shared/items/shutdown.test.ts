import { EventEmitter } from 'node:events';

import { leavingOf, ShutdownWatch } from '../../../../nodes/shared/items/shutdown';

/** What a watch sees of its process, and nothing that would end this one. */
class Process extends EventEmitter {
	readonly pid = 7;
	readonly killed: Array<[number, string | number | undefined]> = [];
	kill(pid: number, signal?: string | number): true {
		this.killed.push([pid, signal]);
		return true;
	}
}

const counts = (host: Process): number[] => [host.listenerCount('SIGTERM'), host.listenerCount('SIGINT')];

let host: Process;
let watch: ShutdownWatch;
const warnings: Error[] = [];
const warned = (warning: Error) => warnings.push(warning);
beforeEach(() => {
	host = new Process();
	watch = new ShutdownWatch(host as unknown as NodeJS.Process);
	warnings.length = 0;
	process.on('warning', warned);
});
afterEach(() => void process.removeListener('warning', warned));

it('has one handler for thousands that run, without a warning, and none when all are over', async () => {
	const stop = new AbortController();
	const all = Array.from({ length: 5_000 }, () => leavingOf(stop.signal, watch));
	expect(counts(host)).toEqual([1, 1]);
	for (const { end } of all) [end, end].forEach((again) => again());
	expect(counts(host)).toEqual([0, 0]);
	leavingOf(stop.signal, watch);
	expect(counts(host)).toEqual([1, 1]);
	await new Promise(setImmediate);
	expect(warnings).toEqual([]);
});

it.each(['SIGTERM', 'SIGINT'])('%s lets all leave, and those that begin afterwards; a second one meets no handler of ours', (name) => {
	const own = jest.fn();
	host.once(name, own);
	const all = [1, 2].map(() => leavingOf(new AbortController().signal, watch));
	host.emit(name);
	expect(own).toHaveBeenCalledTimes(1);
	expect(all.map(({ leaving }) => leaving.aborted)).toEqual([true, true]);
	expect(counts(host)).toEqual([0, 0]);
	expect(leavingOf(new AbortController().signal, watch).leaving.aborted).toBe(true);
	expect(counts(host)).toEqual([0, 0]);
	expect(host.killed).toEqual([]);
});

it('swallows no signal that nobody else handles', () => {
	const { leaving } = leavingOf(new AbortController().signal, watch);
	host.emit('SIGTERM');
	expect(host.killed).toEqual([[7, 'SIGTERM']]);
	expect(counts(host)).toEqual([0, 0]);
	expect(leaving.aborted).toBe(false);
});

it('fires with the signal of the execution as well, and not after the end', () => {
	const [stop, later] = [new AbortController(), new AbortController()];
	const [stopped, ended] = [leavingOf(stop.signal, watch), leavingOf(later.signal, watch)];
	stop.abort();
	ended.end();
	later.abort();
	expect([stopped.leaving.aborted, ended.leaving.aborted]).toEqual([true, false]);
	expect(leavingOf(stop.signal, watch).leaving.aborted).toBe(true);
});
