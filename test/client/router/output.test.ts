import type { RouterOutput } from '../../../client';
import { collect, patterned } from '../support/bytes';
import type { Answer } from '../support/server';
import { finished, KEY, run, useRouterAnswers } from './support/answering';

const answers = useRouterAnswers();
const MEBIBYTE = 1024 * 1024;
/** For what is large on a machine that is busy. */
const patient = { maxWaitMs: 25_000 };

const bytes =
	(contentType: string, body: Buffer, headers: Record<string, string> = { 'content-length': String(body.byteLength) }): Answer =>
	(_request, response) =>
		void response.writeHead(200, { 'content-type': contentType, 'x-service-request-id': 'req-ok', ...headers }).end(body);

async function read(output: RouterOutput): Promise<Buffer> {
	if (output.kind !== 'bytes') throw new Error('No bytes');
	return await collect(output.bytes);
}

describe('the answer', () => {
	test.each([
		['text/plain', 100_000],
		['application/jsonl', 100_000],
		['audio/wav', 9 * MEBIBYTE],
	])('as %s of %d bytes is a file, without a cap', async (contentType, length) => {
		const body = patterned(length);
		const { output } = await run(answers.answering(bytes(contentType, body)), patient);
		expect(output).toMatchObject({ kind: 'bytes', contentType, sizeBytes: length });
		expect((await read(output)).equals(body)).toBe(true);
	});

	test('of JSON above 64 MiB becomes bytes, whether its length is announced or not, and JSON of 64 MiB is parsed', async () => {
		const text = Buffer.from(JSON.stringify({ filler: 'x'.repeat(64 * MEBIBYTE - 13) }));
		expect(text.byteLength).toBe(64 * MEBIBYTE);
		await expect(run(answers.answering(bytes('application/json', text)), patient)).resolves.toMatchObject({ output: { kind: 'json' } });
		const longer = Buffer.concat([text, Buffer.from('\n')]);
		const { output } = await run(answers.answering(bytes('application/json', longer, {})), patient);
		expect(output).toMatchObject({ kind: 'bytes', contentType: 'application/json', sizeBytes: null });
		expect((await read(output)).equals(longer)).toBe(true);

		const begins: Answer = (_request, response) =>
			void response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(longer.byteLength) }).write('{"');
		const announced = await run(answers.answering(begins), patient);
		expect(announced.output).toMatchObject({ kind: 'bytes', sizeBytes: longer.byteLength });
		if (announced.output.kind === 'bytes') await announced.output.bytes[Symbol.asyncIterator]().return?.();
	});

	test('that is let go of early frees its connection', async () => {
		const { output } = await run(answers.answering(bytes('video/mp4', patterned(32 * MEBIBYTE))));
		if (output.kind !== 'bytes') throw new Error('No bytes');
		const reader = output.bytes[Symbol.asyncIterator]();
		await expect(reader.return?.()).resolves.toMatchObject({ done: true });
		await expect(reader.next()).resolves.toMatchObject({ done: true });
	});

	test('that is a page of the router is bytes; a page of somebody else is none', async () => {
		const page = bytes('text/html', Buffer.from('<html></html>'));
		await expect(run(answers.answering(page))).resolves.toMatchObject({ output: { kind: 'bytes', contentType: 'text/html' } });
		const foreign: Answer = (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
		const router = answers.answering(foreign, finished());
		await expect(run(router, { maxWaitMs: 5_000 })).resolves.toMatchObject({ output: { kind: 'json' } });
	});
});

test.each(['service', 'comfy'])('the headers x-%s-… become the facts of the run', async (vendor) => {
	const headers = {
		'x-service-request-id': '',
		[`x-${vendor}-request-id`]: 'req-7',
		'idempotent-replayed': 'true',
		[`x-${vendor}-credits-used`]: '0.1250',
		'x-committed-spend-limit': '500',
		'x-committed-spend-current': '20',
		'x-committed-spend-remaining': '480',
		[`x-${vendor}-router-dropped-params`]: '["seed","guidance"]',
		[`x-${vendor}-router-fallback-provider`]: 'aurora',
	};
	const { facts } = await run(answers.answering(finished({}, headers)));
	expect(facts).toMatchObject({
		idempotency_key: KEY,
		replayed: true,
		credits_used: '0.1250',
		spend: { limit: 500, current: 20, remaining: 480 },
		dropped_parameters: ['seed', 'guidance'],
		fallback_provider: 'aurora',
	});
});

test('absent headers say nothing: no credits are not "0"', async () => {
	const { facts } = await run(answers.answering(finished()));
	expect(facts).toEqual({
		request_id: 'req-ok',
		idempotency_key: KEY,
		replayed: false,
		credits_used: null,
		spend: null,
		dropped_parameters: [],
		fallback_provider: null,
	});
	const headers = { 'x-service-credits-used': '0', 'x-service-dropped-params': 'not json' };
	const { facts: free } = await run(answers.answering(finished({}, headers)));
	expect(free).toMatchObject({ credits_used: '0', dropped_parameters: ['not json'] });
});
