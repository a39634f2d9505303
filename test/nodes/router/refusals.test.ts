import { BUCKETS } from '../../client/router/support/answering';
import { runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { byId, dataOf, jsonRun, routerCredential, routerRun, RUNS } from '../support/router';
import { jsons } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const PROMPT = { prompt: 'a lighthouse' };
const ONE_ATTEMPT = { parameters: { maxWaitMinutes: 0 } };
const credential = () => routerCredential(sandbox);
const ID = expect.stringMatching(/./) as string;

it.each(BUCKETS)('%s (%d) says what happened and what to do, with the request id', async (bucket, status) => {
	sandbox.inject({ on: RUNS, times: Infinity, answer: { status, code: bucket, message: 'the words of the router' } });
	const { error, ...result } = await runNode(jsonRun(credential(), 'lab/free', PROMPT, ONE_ATTEMPT));
	const said = `${error?.message}\n${error?.description}`;
	expect(said).not.toMatch(/has no advice for this code/);
	expect(said).not.toMatch(/\b(error|problem|failure)\b/i);
	expect(error?.description).toMatch(/Request ID: \S+/);
	expect(dataOf({ error, ...result })).toMatchObject({ code: bucket, request_id: ID, idempotency_key: ID, model: 'lab/free' });
});

it('an unknown error code keeps its own name', async () => {
	sandbox.inject({ on: RUNS, times: Infinity, answer: { status: 500, code: 'solar_flare' } });
	const { error } = await runNode(jsonRun(credential(), 'lab/free', PROMPT, ONE_ATTEMPT));
	expect(error?.description).toContain('Error type of the router: solar_flare');
});

it.each([
	[{ limit: '500', current: '480', remaining: '20' }, '$4.80 of $5.00, $0.20 remaining'],
	[{ current: '250' }, '$2.50 of an unknown amount, an unknown amount remaining'],
])('the spend %j is reported in dollars', async (cents, amounts) => {
	const headers = Object.fromEntries(Object.entries(cents).map(([name, value]) => [`x-committed-spend-${name}`, value]));
	sandbox.inject({ on: RUNS, answer: { status: 402, code: 'insufficient_credits', headers } });
	const { error } = await runNode(jsonRun(credential(), 'lab/image', PROMPT, ONE_ATTEMPT));
	expect(error?.description).toContain(`Committed spend: ${amounts}`);
});

it('the details of a 422 reach the failed item unchanged, and its message names the fields', async () => {
	const entries = [
		{ loc: ['body', 'messages', 0, 'role'], msg: 'Field required', type: 'missing', ctx: { least: 1 }, input: { a: [1, null] } },
		{ loc: ['body', 'size'], msg: 'Too large', type: 'image_too_large' },
	];
	sandbox.inject({ on: RUNS, answer: { status: 422, code: 'invalid_input', details: entries } });
	const result = await runNode(jsonRun(credential(), 'lab/open', PROMPT, CONTINUE));
	const [item] = jsons(result);
	expect(item).toMatchObject({ error_facts: { code: 'invalid_input', http_status: 422, request_id: ID } });
	const { detail } = (item?.error_facts as { details: { detail: Array<Record<string, unknown>> } }).details;
	expect(detail).toEqual([
		{ ...entries[0], path: 'messages[0].role' },
		{ ...entries[1], path: 'size' },
	]);
	expect(item?.error).toMatch(/messages\[0\]\.role: Field required; size: Too large/);
});

it.each(['model:run', 'model:get', 'model:getInputSchema'] as const)('%s of an unknown model suggests others', async (what) => {
	const result = await runNode(routerRun(credential(), what, 'lab/imag', { parameters: { inputMode: 'json', inputJson: PROMPT } }));
	expect(result.error?.message).toMatch(/no model with this ID: .*lab\/image/);
	expect(dataOf(result)).toMatchObject({ code: 'model_not_found', request_id: ID });
});

it.each([
	['Lab/image', /capital letter.*lab\/image/],
	[`${'l'.repeat(65)}/m`, /provider has 65 characters, and the limit is 64/],
	[`l/${'m'.repeat(129)}`, /after the slash has 129 characters, and the limit is 128/],
	['lab', /a provider and a model/],
	['lab/image/2', /a provider and a model/],
	['lab/..', /lowercase letters and digits/],
])('the id "%s" is rejected before anything is sent', async (id, advice) => {
	const { error } = await runNode(jsonRun(credential(), 'x/y', PROMPT, { parameters: { model: byId(id) } }));
	expect(error?.message).toMatch(/is not a model ID$/);
	expect(error?.description).toMatch(advice);
	expect(sandbox.requests()).toEqual([]);
});

it('an expired token is named before anything is sent', async () => {
	const token = sandbox.jwt({ expiresInSeconds: -1 });
	const { error } = await runNode(jsonRun(routerCredential(sandbox, 'comfyRouterJwtApi', { token }), 'lab/free', PROMPT));
	expect(error?.message).toMatch(/^The JWT is no longer valid/);
	expect(error?.description).toMatch(/Comfy Router JWT API credential/);
	expect(sandbox.requests()).toEqual([]);
});
