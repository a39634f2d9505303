import { runNode } from '../support/engine';
import { LARGEST_SEED, LONG_NUMBERS, packed } from '../support/longNumbers';
import { formRun, jsonRun, routerCredential, routerRun, RUNS } from '../support/router';
import { jsons } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox({ routerRetryAfterSeconds: 0 });

const MODEL = 'lab/every-feature';
const QUEUED = 'POST /v2/models/:provider/:model/requests';
const sentBody = (on = RUNS): string => packed(sandbox.requests(on).at(-1)?.bodyText ?? '');
const { whole, decimal, huge } = LONG_NUMBERS;

it.each(['synchronous', 'queued'])('Input (JSON) keeps every digit, and the answer holds long numbers as text (%s)', async (delivery) => {
	const input = `{"prompt":"afox","seed":${LARGEST_SEED},"more":{"whole":${whole},"decimal":${decimal},"huge":${huge},"half":0.5}}`;
	const result = await runNode(jsonRun(routerCredential(sandbox), 'lab/open', input, { parameters: { delivery } }));
	expect(result.error?.message).toBeUndefined();
	expect(sentBody(delivery === 'queued' ? QUEUED : RUNS)).toBe(input);
	expect(jsons(result)).toMatchObject([{ output: { input: { seed: LARGEST_SEED, more: { ...LONG_NUMBERS, half: 0.5 } } } }]);
});

it('the form keeps every digit of a number, of an object and of a list', async () => {
	const value = { long_seed: LARGEST_SEED, nullable: decimal, labels: `{"a": ${whole}}`, points: `[{"x": ${decimal}, "y": 1}]` };
	const result = await runNode(formRun(routerCredential(sandbox), MODEL, { prompt: 'a fox', ...value }));
	expect(result.error?.message).toBeUndefined();
	const sent = [`"long_seed":${LARGEST_SEED}`, `"nullable":${decimal}`, `"labels":{"a":${whole}}`, `"points":[{"x":${decimal},"y":1}]`];
	for (const part of sent) expect(sentBody()).toContain(part);
});

it('a whole number of the form that n8n rounded is named with the way to enter it', async () => {
	const { error } = await runNode(formRun(routerCredential(sandbox), MODEL, { prompt: 'a fox', long_seed: Number(LARGEST_SEED) }));
	expect(error?.message).toBe('Long seed has lost digits: n8n has rounded it to 18446744073709552000');
	expect(error?.description).toMatch(/^Nothing was sent\..*as text/);
	expect(sandbox.requests(RUNS)).toEqual([]);
});

it('a rounded number of an object in Input (JSON) is named', async () => {
	const items = [{ json: { input: { prompt: 'a fox', list: [{ seed: Number(LARGEST_SEED) }] } } }];
	const { error } = await runNode(jsonRun(routerCredential(sandbox), 'lab/open', '={{ $json.input }}', { items }));
	expect(error?.message).toBe('Input (JSON) > list > 0 > seed has lost digits: n8n has rounded it to 18446744073709552000');
	expect(sandbox.requests(RUNS)).toEqual([]);
});

it('Get Input Schema returns every digit of the largest seed', async () => {
	const [item] = jsons(await runNode(routerRun(routerCredential(sandbox), 'model:getInputSchema', MODEL)));
	expect(item?.fields).toContainEqual(expect.objectContaining({ id: 'long_seed', range: `0 to ${LARGEST_SEED}` }));
	expect(JSON.stringify(item?.schema)).toContain(`"maximum":"${LARGEST_SEED}"`);
});

it('a later try with another last digit is noticed, and the first input is sent again with every digit', async () => {
	const [sent, other] = ['{"seed":9007199254740993}', '{"seed":9007199254740992}'];
	const { contextData } = await runNode(jsonRun(routerCredential(sandbox), 'lab/open', sent));
	const changed = await runNode(jsonRun(routerCredential(sandbox), 'lab/open', other, { contextData }));
	const same = await runNode(jsonRun(routerCredential(sandbox), 'lab/open', sent, { contextData }));
	expect(jsons(changed)).toMatchObject([{ replayed: true, sent_input: { seed: '9007199254740993' } }]);
	expect([changed, same].map(({ hints }) => hints.length)).toEqual([1, 0]);
	expect(sandbox.requests(RUNS).map(({ bodyText, status }) => [packed(bodyText), status])).toEqual([
		[sent, 200],
		[sent, 200],
		[sent, 200],
	]);
});
