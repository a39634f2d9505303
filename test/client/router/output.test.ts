import type { RouterOutput } from '../../../client';
import { collect, patterned } from '../support/bytes';
import type { Answer } from '../support/server';
import { cut, finished, KEY, lost, run, useRouterAnswers } from './support/answering';
import { useRouterSandbox } from './support/sandbox';

const answers = useRouterAnswers();
const harness = useRouterSandbox();
const MEBIBYTE = 1024 * 1024;
const wait = { maxWaitMs: 5_000 };
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
	test.each(['application/json', 'application/json; charset=utf-8', 'application/problem+json', 'APPLICATION/JSON'])(
		'as %s is parsed and not touched',
		async (contentType) => {
			const value = { seed: '2024', nested: [1, null, { 'x-unknown': 1e21 }] };
			const { output } = await run(answers.answering(bytes(contentType, Buffer.from(JSON.stringify(value)))));
			expect(output).toEqual({ kind: 'json', value });
		},
	);

	test('that begins with a byte order mark is what follows it', async () => {
		const { output } = await run(answers.answering(bytes('application/json', Buffer.from('\ufeff{"seed":"2024"}'))));
		expect(output).toEqual({ kind: 'json', value: { seed: '2024' } });
	});

	test.each(['audio/mpeg', 'image/png', 'application/octet-stream', 'text/plain', 'application/jsonl'])(
		'as %s is bytes',
		async (contentType) => {
			const body = patterned(100_000);
			const { output } = await run(answers.answering(bytes(contentType, body)));
			expect(output).toMatchObject({ kind: 'bytes', contentType, sizeBytes: 100_000 });
			expect((await read(output)).equals(body)).toBe(true);
		},
	);

	test.each([9 * MEBIBYTE, 65 * MEBIBYTE])('of %d bytes streams without a cap', async (length) => {
		const body = patterned(length);
		const { output } = await run(answers.answering(bytes('audio/wav', body)), patient);
		expect(output).toMatchObject({ sizeBytes: length });
		expect((await read(output)).equals(body)).toBe(true);
	});

	test.each([
		['announced', true],
		['not announced', false],
	])('of 65 MiB of JSON, its length %s, becomes bytes and loses none', async (_name, isAnnounced) => {
		const text = Buffer.from(JSON.stringify({ filler: 'x'.repeat(65 * MEBIBYTE) }));
		const { output } = await run(answers.answering(bytes('application/json', text, isAnnounced ? undefined : {})), patient);
		expect(output).toMatchObject({ kind: 'bytes', contentType: 'application/json', sizeBytes: isAnnounced ? text.byteLength : null });
		expect((await read(output)).equals(text)).toBe(true);
	});

	test('of just 64 MiB of JSON is parsed', async () => {
		const text = Buffer.from(JSON.stringify({ filler: 'x'.repeat(64 * MEBIBYTE - 13) }));
		expect(text.byteLength).toBe(64 * MEBIBYTE);
		await expect(run(answers.answering(bytes('application/json', text)), patient)).resolves.toMatchObject({ output: { kind: 'json' } });
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
		await expect(run(answers.answering(foreign, finished()), wait)).resolves.toMatchObject({ output: { kind: 'json' } });
	});

	test.each([
		['lost', lost],
		['cut in the middle', cut],
		['cut, and ended as if whole', bytes('application/json', Buffer.from('{"done": tr'))],
		[
			'cut in the middle of bytes',
			((_request, response) => {
				response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': '100' });
				response.write('half', () => response.destroy());
			}) as Answer,
		],
	])('%s is asked for again with the same key', async (_name, broken) => {
		await expect(run(answers.answering(broken, finished({ whole: true })), wait)).resolves.toMatchObject({
			output: { value: { whole: true } },
		});
		expect(answers.keys()).toEqual([KEY, KEY]);
	});
});

describe.each(['service', 'comfy'])('the headers x-%s-…', (vendor) => {
	test('become the facts of the run', async () => {
		const { facts } = await run(
			answers.answering(
				finished(
					{},
					{
						'x-service-request-id': '',
						[`x-${vendor}-request-id`]: 'req-7',
						'idempotent-replayed': 'true',
						[`x-${vendor}-credits-used`]: '0.1250',
						'x-committed-spend-limit': '500',
						'x-committed-spend-current': '20',
						'x-committed-spend-remaining': '480',
						[`x-${vendor}-router-dropped-params`]: '["seed","guidance"]',
						[`x-${vendor}-router-fallback-provider`]: 'aurora',
					},
				),
			),
		);
		expect(facts).toMatchObject({
			idempotency_key: KEY,
			replayed: true,
			credits_used: '0.1250',
			spend: { limit: 500, current: 20, remaining: 480 },
			dropped_parameters: ['seed', 'guidance'],
			fallback_provider: 'aurora',
		});
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
	const { facts: free } = await run(
		answers.answering(finished({}, { 'x-service-credits-used': '0', 'x-service-dropped-params': 'not json' })),
	);
	expect(free).toMatchObject({ credits_used: '0', dropped_parameters: ['not json'] });
});

test("the sandbox's own runs: bytes, dropped parameters, a fallback, the spend", async () => {
	const { router } = harness.connect();
	const options = (query = {}) => ({ idempotencyKey: crypto.randomUUID(), maxWaitMs: 10_000, query });
	const { output } = await router.run('lab/speech', { text: 'hello' }, options());
	expect((await read(output)).subarray(0, 4).toString()).toBe('RIFF');
	await expect(router.run('lab/image', { prompt: 'a', seed: 1 }, options({ model_provider: 'aurora' }))).resolves.toMatchObject({
		facts: { dropped_parameters: ['seed'] },
	});
	await expect(router.run('lab/fallback', { prompt: 'a' }, options())).resolves.toMatchObject({ facts: { fallback_provider: 'aurora' } });
	harness.sandbox.setSpendLimit('main', 500);
	await expect(router.run('lab/free', { prompt: 'a' }, options())).resolves.toMatchObject({
		facts: { credits_used: expect.stringMatching(/^0/), spend: { limit: 500 } },
	});
	harness.sandbox.setSpendLimit('main', null);
	await expect(router.run('lab/silent-price', { prompt: 'a' }, options())).resolves.toMatchObject({
		facts: { credits_used: null, spend: null },
	});
});
