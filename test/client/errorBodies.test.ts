/** The error bodies of each interface. */
import { type ApiError, connect, type Connection } from '../../client';
import { raw } from './support/answering';
import { FORMS, PATIENT, queueOf, submitting, understood, useFailures } from './support/failures';
import { json, type Answer } from './support/server';

const { answered, failure } = useFailures();

describe('v1', () => {
	test.each([
		[400, 'invalid_request'],
		[401, 'unauthorized'],
		[402, 'insufficient_credits'],
		[403, 'forbidden'],
		[404, 'not_found'],
		[405, 'not_implemented'],
		[409, 'own_code'],
		[413, 'payload_too_large'],
		[429, 'subscription_inactive'],
		[500, 'upstream_error'],
		[501, 'not_implemented'],
	])('v1 reports %d as %s, whatever code the service uses', async (status, code) => {
		for (const ownCode of ['own_code', code]) {
			const error = await failure('v1', json(status, { code: ownCode, message: 'In its words' }));
			expect(error).toMatchObject({ interface: 'v1', status, code, message: 'In its words' });
			expect((error as ApiError).details).toEqual(ownCode === code ? undefined : { code: ownCode });
		}
	});

	test.each(Object.values(FORMS))('no call is repeated while the subscription is inactive (%#)', async (form) => {
		const patient = connect({ interface: 'v1', baseUrl: answered.v1.server.origin });
		const answer = form(429);
		for (const call of [() => patient.jobs.get('a'), () => submitting(patient), () => queueOf(patient)])
			expect(await answered.v1.failure(answer, call)).toMatchObject({ code: 'subscription_inactive', status: 429 });
		expect(answered.v1.server.seen).toHaveLength(3);
		await patient.close();
	});

	const ENGINE = {
		error: { type: 'prompt_outputs_failed_validation', message: 'Failed validation', details: '* KSampler 3', extra_info: {} },
		node_errors: { '3': { class_type: 'KSampler', errors: [{ type: 'value_smaller_than_min', message: 'Too small' }] } },
	};
	const ENGINE_DETAILS = { type: ENGINE.error.type, details: '* KSampler 3', node_errors: ENGINE.node_errors };

	test.each<[name: string, body: unknown, message: string, details: unknown]>([
		['{code, message}', { code: 'invalid_request', message: 'Say more' }, 'Say more', undefined],
		['the engine’s', ENGINE, 'Failed validation', ENGINE_DETAILS],
		[
			'the engine’s, with extra facts',
			{ error: { type: 'missing_node_type', message: 'No such class', details: '', extra_info: { node_id: '1' } }, node_errors: [] },
			'No such class',
			{ type: 'missing_node_type', extra_info: { node_id: '1' }, node_errors: {} },
		],
		['{error: {code, message, details}}', { error: { code: 'odd', message: 'm', details: { a: 1 } } }, 'm', { code: 'odd', a: 1 }],
		['{error: {type}} alone', { error: { type: 'no_outputs' } }, 'no_outputs', { type: 'no_outputs', node_errors: {} }],
		['{error: text}', { error: 'It is text' }, 'It is text', undefined],
		['{error, details}', { error: 'It is text', details: 'more' }, 'It is text', { details: 'more' }],
		['{message}', { message: 'Only words' }, 'Only words', undefined],
		['{detail}', { detail: 'Of another framework' }, 'Of another framework', undefined],
		['a list', ['x'], 'HTTP 400', undefined],
		['null', null, 'HTTP 400', undefined],
		['an empty object', {}, 'HTTP 400', undefined],
	])('v1 understands an error with the body %s', async (_name, body, message, details) => {
		for (const [call, code] of [
			[undefined, 'invalid_request'],
			[submitting, 'invalid_workflow'],
		] as const) {
			const error = await failure('v1', json(400, body), call);
			expect(error).toMatchObject({ code, status: 400, message });
			// Of a prompt, an own code that is not the type is kept as well.
			if (call === undefined) expect((error as ApiError).details).toEqual(details);
			else if (body === ENGINE) expect((error as ApiError).details).toEqual(ENGINE_DETAILS);
		}
	});

	test('v1 takes plain text as the message, and the whole of it', async () => {
		expect(await failure('v1', raw(400, 'text/plain', ' filename is required\n'))).toMatchObject({ message: 'filename is required' });
		expect(((await failure('v1', raw(400, 'text/plain', 'x'.repeat(10_000)))) as ApiError).message).toHaveLength(10_000);
	});

	test.each([[{}], [[]], [null], [{ status: '' }], [{ status: 7 }], ['text']])('v1 refuses %j as a status', async (body) => {
		expect(await failure('v1', json(200, body))).toMatchObject({ facts: { reason: 'unexpected', status: 200 } });
	});
});

describe('v2', () => {
	const NODE = { class_type: 'LoadImage', dependent_outputs: ['9'], errors: [{ type: 'value_not_in_list', message: 'Value not in list' }] };
	const DETAILS = [undefined, null, { node_errors: { '3': [{ field: 'image', reason: 'is required' }] } }, { node_errors: { '3': NODE } }];

	/** The specification's table of codes, then those that only the public documentation names, and one that is new. */
	test.each([
		['invalid_workflow', 422],
		['workflow_format_ui', 422],
		['missing_asset', 422],
		['hash_mismatch', 409],
		['blob_not_found', 404],
		['idempotency_key_reuse', 422],
		['queue_full', 429],
		['insufficient_credits', 402],
		['not_found', 404],
		['unauthorized', 401],
		['forbidden', 403],
		['deployment_not_ready', 429],
		['deployment_stopped', 422],
		['rate_limited', 429],
		['upstream_error', 500],
		['asset_in_use', 409],
		['asset_not_found', 404],
		['job_not_found', 404],
		['upstream_unreachable', 503],
		['a_code_of_tomorrow', 400],
	])('v2 reports the code %s (%d) in the words of the service, with its details', async (code, status) => {
		for (const details of DETAILS) {
			const message = 'In the words of the service';
			const error = await failure('v2', json(status, { error: { code, message, details } }, PATIENT));
			expect(error).toMatchObject({ interface: 'v2', code, status, message, retryAfterMs: 7_000 });
			expect((error as ApiError).details).toEqual(details);
		}
	});

	test.each([
		[{ error: { type: 'prompt_no_outputs', message: 'Prompt has no outputs' } }, 400, 'prompt_no_outputs', 'Prompt has no outputs'],
		[{ error: { code: 'brand_new', message: 'New', details: { a: 1 } } }, 418, 'brand_new', 'New'],
		[{ error: { code: 'payload_too_large', message: 'At most 5 MB' } }, 413, 'payload_too_large', 'At most 5 MB'],
		[{ error: { message: 'No code here' } }, 403, 'forbidden', 'No code here'],
		[{ error: { code: 'no_words' } }, 409, 'no_words', 'no_words'],
		[{ code: 'flat', message: 'No outer level' }, 400, 'flat', 'No outer level'],
		[{ message: 'API rate limit exceeded' }, 429, 'queue_full', 'HTTP 429'],
		[{ detail: 'Unauthorized' }, 401, 'unauthorized', 'HTTP 401'],
	])('v2 understands %j (%d) as %s', async (body, status, code, message) => {
		expect(await failure('v2', json(status, body))).toMatchObject({ code, status, message });
	});

	test.each([
		[{ detail: 'Not Found' }, 404],
		[[], 409],
		['no', 422],
		[{ error: 'Method Not Allowed' }, 405],
	])('v2 takes %j (%d) for another product', async (body, status) => {
		expect(await failure('v2', json(status, body))).toMatchObject({ facts: { reason: 'unexpected', status } });
	});

	test.each([[{}], [[]], [null], [{ id: 'a' }], [{ id: '', status: 'queued' }], [{ status: 'queued' }], ['text']])(
		'v2 refuses %j as a job',
		async (body) => {
			expect(await failure('v2', json(200, body))).toMatchObject({ facts: { reason: 'unexpected', status: 200 } });
		},
	);

	test('v2 takes the bare 404 of ComfyUI for another product', async () => {
		const contentType = 'application/octet-stream';
		expect(await failure('v2', raw(404, contentType, ''))).toMatchObject({ facts: { reason: 'not_json', status: 404, contentType } });
	});
});

describe('an engine', () => {
	const NO_WORDS = raw(404, 'application/octet-stream', '');
	const redirected: Answer = ({ url }, response) =>
		void (url === '/login'
			? response.writeHead(200, { 'content-type': 'text/html' }).end('<html>login')
			: response.writeHead(302, { location: '/login' }).end());

	test.each<[string, Answer, string]>([
		['a way to a login page', redirected, 'html'],
		['another JSON', json(200, ['a']), 'unexpected'],
	])('an engine reports %s as unreadable', async (_name, answer, reason) => {
		for (const call of [queueOf, ({ jobs }: Connection) => jobs.get('a')])
			expect(understood(await failure('engine', answer, call))).toBe(reason);
	});

	test('a submission that is redirected to a login page is unreadable', async () => {
		expect(await failure('engine', redirected, submitting)).toMatchObject({ facts: { status: 200, reason: 'html' } });
	});

	test('an engine keeps its own words', async () => {
		const error = { type: 't', message: 'm', details: 'd', extra_info: { a: 1 } };
		expect(await failure('engine', json(400, { error, node_errors: [] }))).toMatchObject({
			code: 'invalid_request',
			message: 'm',
			details: { type: 't', details: 'd', extra_info: { a: 1 }, node_errors: {} },
		});
	});

	test.each<[string, Answer, boolean]>([
		['without words: the web interface has no such file, so there is no such route', NO_WORDS, false],
		['with a sentence: a job that is not there', json(404, { error: 'Job not found' }), true],
		['in aiohttp’s text: a route that is not there', raw(404, 'text/plain', '404: Not Found'), false],
		['in the proxy’s envelope', json(404, { error: { code: 'not_found', message: 'No' } }), false],
	])('an engine reports a 404 %s', async (_name, answer, isOwn) => {
		expect(understood(await failure('engine', answer))).toBe(isOwn ? 'not_found' : 'unexpected');
	});

	test('an engine reports a missing file for a 404 without words', async () => {
		const url = `${answered.engine.server.origin}/api/view?filename=a.png`;
		const error = await failure('engine', NO_WORDS, async ({ assets }) => await assets.download({ url }));
		expect(error).toMatchObject({ code: 'not_found', status: 404 });
	});
});
