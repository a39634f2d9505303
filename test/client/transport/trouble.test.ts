import { getMaxListeners } from 'node:events';

import { until } from '../../support/until';
import { StoppedError } from '../../../client';
import type { HttpRequest, HttpSettings } from '../../../client/transport/http';
import { chunksOf, failureOf } from '../support/bytes';
import { json, type Answer } from '../support/server';
import { get, useTransport } from '../support/transport';

const { server, client } = useTransport();
const never: Answer = () => undefined;

test('a refused look-up blocks the address, and an unknown name does not', async () => {
	for (const [code, trouble] of [
		['ENOTFOUND', 'dns'],
		[undefined, 'blocked'],
	] as const) {
		const lookup: HttpSettings['lookup'] = (_name, _options, callback) => callback(Object.assign(new Error('no'), { code }), '', 4);
		const failure = await failureOf(client({ origin: 'http://service.test', lookup }).request(get('http://service.test')));
		expect(failure).toMatchObject({ trouble, mayHaveArrived: false });
	}
});

test('a silent response ends in time, and a slow reader does not end it', async () => {
	const service = await server((_request, response) => void response.writeHead(200).write('x'));
	const http = client({ origin: service.origin });
	const response = await http.request(get(service.origin, { idleMs: 350 }));
	const chunks = response.chunks();
	await chunks.next();
	await new Promise((resolve) => setTimeout(resolve, 500));
	const waitedFrom = performance.now();
	await expect(chunks.next()).rejects.toMatchObject({ trouble: 'timeout' });
	expect(performance.now() - waitedFrom).toBeGreaterThan(100);
});

test('an upload that moves is not idle', async () => {
	const service = await server(json(200, {}));
	const slow = (async function* () {
		for (let part = 0; part < 6; part++) {
			await new Promise((resolve) => setTimeout(resolve, 100));
			yield Buffer.from('part');
		}
	})();
	const request: HttpRequest = { method: 'POST', url: new URL(service.origin), body: slow, idleMs: 500 };
	await (await client({ origin: service.origin }).request(request)).discard();
	expect(service.seen[0]?.body).toHaveLength(24);
});

test('a failing source of an upload is reported as its own error', async () => {
	const service = await server(json(200, {}));
	const broken = (async function* () {
		yield* chunksOf('x');
		throw new RangeError('the disk is gone');
	})();
	const failure = await failureOf(
		client({ origin: service.origin }).request({ method: 'POST', url: new URL(service.origin), body: broken }),
	);
	expect(failure).toBeInstanceOf(RangeError);
});

test('one signal ends any number of requests without a warning, also one that still connects', async () => {
	const service = await server(never);
	const controller = new AbortController();
	const [http, connecting] = [client({ origin: service.origin }), client({ origin: service.origin, lookup: () => undefined })];
	const running = Array.from({ length: 30 }, () => failureOf(http.request(get(service.origin, { signal: controller.signal }))));
	running.push(failureOf(connecting.request(get('http://pending.test', { signal: controller.signal }))));
	await until(() => service.seen.length === 30);
	controller.abort();
	for (const failure of await Promise.all(running)) expect(failure).toBeInstanceOf(StoppedError);
	// Node warns (on the real process, out of this test's sight) when there are more listeners than this.
	expect(getMaxListeners(controller.signal)).toBe(Infinity);
});
