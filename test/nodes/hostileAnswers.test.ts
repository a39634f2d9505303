import { runNode } from './support/engine';
import { CONTINUE, downloadRun } from './support/files';
import { credentialFor } from './support/flavours';
import { colorGraph } from './support/graphs';
import { jsons, submitRun } from './support/submit';
import { sharedSandbox } from './support/sandbox';

const sandbox = sharedSandbox();

const JSON_TYPE = { 'content-type': 'application/json' };
const nested = (open: string, close: string, depth = 5_000): string => open.repeat(depth) + close.repeat(depth);
const refusalWith = (details: string): string => `{"error":{"code":"invalid_workflow","message":"Refused","details":${details}}}`;

describe('D9: a refusal nested 5,000 deep', () => {
	it.each([
		['lists', nested('[', ']')],
		['objects', `${nested('{"a":', '}').replace('}', '1}')}`],
		['reasons of nodes', `{"node_errors":{"5":[${nested('[', ']')}]}}`],
	])('of %s is a failure in words, and Continue On Fail holds', async (_, details) => {
		sandbox.inject({ on: 'POST /api/v2/jobs', answer: { status: 422, body: refusalWith(details), headers: JSON_TYPE } });
		const result = await runNode(submitRun(credentialFor(sandbox), colorGraph(1), CONTINUE));
		expect(result.status).toBe('success');
		expect(jsons(result)).toMatchObject([
			{ error: expect.any(String) as string, error_facts: { code: 'invalid_workflow', http_status: 422 } },
		]);
	});
});

describe('S3: a secret that a service repeats', () => {
	const KEY = 'canary+key/with=signs';
	const LOGIN = 'canary-user:canary pass/word+1';
	const repeating = (text: string) => ({
		status: 409,
		json: { error: { code: 'strange', message: `You sent ${text}`, details: { [text]: [text] } } },
	});

	it.each([
		['encoded as in an address', encodeURIComponent(KEY)],
		['encoded with small letters', encodeURIComponent(KEY).toLowerCase()],
		['encoded in part', KEY.replace('+', '%2B')],
		['encoded twice', encodeURIComponent(encodeURIComponent(KEY))],
	])('%s is masked', async (_, text) => {
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: repeating(text) });
		const result = await runNode(downloadRun(credentialFor(sandbox, 'hosted', { apiKey: KEY }), ['a'], {}, CONTINUE));
		expect(jsons(result)).toMatchObject([{ error: expect.stringContaining('You sent ***') as string }]);
		expect(result.stored.toLowerCase()).not.toMatch(/canary|with%3dsigns/);
	});

	it.each([
		['user and password', LOGIN],
		['password alone', LOGIN.split(':')[1] as string],
		['user and password, encoded', new URLSearchParams({ a: LOGIN }).toString().slice(2)],
	])('of Engine Authorization, decoded (%s), is masked', async (_, text) => {
		const engineAuthorizationSecret = `Basic ${Buffer.from(LOGIN).toString('base64')}`;
		sandbox.inject({
			on: 'POST /api/prompt',
			answer: {
				status: 400,
				json: { error: { type: 'strange', message: `You sent ${text}`, details: '', extra_info: { [text]: [text] } }, node_errors: {} },
			},
		});
		const result = await runNode(submitRun(credentialFor(sandbox, 'engine', { engineAuthorizationSecret }), colorGraph(1), CONTINUE));
		expect(JSON.stringify(jsons(result))).toMatch(/You sent \*\*\*/);
		expect(result.stored).not.toMatch(/pass.word/);
	});
});
