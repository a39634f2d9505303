import type { IDataObject } from 'n8n-workflow';

import { clock } from '../../../../client/async/clock';
import { deadOrigin } from '../../../client/support/deadOrigin';
import { serve, type TestServer } from '../../../client/support/server';
import { type Credential, type NodeResult, type NodeRun, type RouterCredential, runNode } from '../../support/engine';
import { assetRun, CONTINUE, downloadRun, fileItem, workflowRun } from '../../support/files';
import { credentialFor } from '../../support/flavours';
import { colorGraph, gatedGraph } from '../../support/graphs';
import { manageRun } from '../../support/manage';
import { jsonRun, routerCredential, routerRun } from '../../support/router';
import { runRun } from '../../support/run';
import { jsons, submitRun, submitted, waitRun } from '../../support/submit';
import { sharedSandbox } from '../../support/sandbox';
import { countTurns } from '../../../support/turnClock';

/** An own ComfyUI that accepts connections without an answer may be loading a model. */
const BUSY_SECONDS = 5 * 60;
/** n8n's own work between the requests, on the client's clock, on a busy machine. */
const SLACK_SECONDS = 45;
const JOB = '8f14e45f-ceea-467f-a34f-5ac0d1a0f1c2';
const HASH = `blake3:${'0'.repeat(64)}`;

countTurns(150);

const sandbox = sharedSandbox();
let silent: TestServer;
let refusing: string;
beforeAll(async () => {
	silent = await serve(() => undefined);
	refusing = await deadOrigin();
});
afterAll(async () => await silent.close());

type Trouble = 'refused' | 'silent';
const addressOf = (trouble: Trouble): string => (trouble === 'refused' ? refusing : silent.origin);

type Way = 'automatic' | 'v2' | 'v1' | 'engine';
function credentialAt(address: string, way: Way): Credential {
	if (way === 'automatic') return credentialFor(sandbox, 'bare_engine', { baseUrl: address });
	if (way === 'engine') return credentialFor(sandbox, 'engine', { engineUrl: address });
	return credentialFor(sandbox, way === 'v1' ? 'v1' : 'hosted', { baseUrl: address, hostedUrl: address });
}

/** On the client's clock. */
const passed = async (seconds: number): Promise<void> => await new Promise((resolve) => clock.after(seconds * 1_000, () => resolve()));

async function timed(run: NodeRun): Promise<{ result: NodeResult; seconds: number }> {
	const startedAt = clock.now();
	const result = await runNode(run);
	return { result, seconds: (clock.now() - startedAt) / 1_000 };
}

const textOf = ({ error }: NodeResult): string => `${error?.message}\n${error?.description}`;

const SAYS: Record<Trouble, RegExp> = {
	refused: /the connection was refused/,
	silent: /did not respond within (60|300) s/,
};

const reference = { filename: 'cat.png', subfolder: '', type: 'input' };
const file = () => fileItem(Buffer.from('a picture'));

type At = (address: string) => NodeRun;
const manage = (what: Parameters<typeof manageRun>[1], way: Way): [string, At, Way] => [
	`Manage Jobs: ${what}`,
	(at) => manageRun(credentialAt(at, way), what, { parameters: { jobId: JOB, classes: 'KSampler' } }),
	way,
];
const asset = (operation: Parameters<typeof assetRun>[1], way: Way, parameters: IDataObject): [string, At, Way] => [
	`Upload Asset: ${operation}`,
	(at) => assetRun(credentialAt(at, way), operation, { items: [file()], parameters }),
	way,
];
const ofRouter = (name: string, run: (credential: RouterCredential) => NodeRun): [string, At, 'router'] => [
	`Run Router Model: ${name}`,
	(at) => run(routerCredential(sandbox, 'comfyApi', { routerUrl: at })),
	'router',
];

/** Each operation that opens a connection, with the parameters of a fresh node, and each way to open one. */
const operations: Array<[name: string, run: At, way: Way | 'router']> = [
	...(['automatic', 'v2', 'v1', 'engine'] as const).flatMap((way): Array<[string, At, Way]> => [
		['Run Workflow', (at) => runRun(credentialAt(at, way), colorGraph(1)), way],
		['Wait For Job', (at) => waitRun(credentialAt(at, way), [JOB]), way],
	]),
	['Submit Workflow', (at) => submitRun(credentialAt(at, 'automatic'), colorGraph(1)), 'automatic'],
	['Get Workflow', (at) => workflowRun(credentialAt(at, 'automatic'), [JOB]), 'automatic'],
	['Download Outputs', (at) => downloadRun(credentialAt(at, 'v2'), [JOB]), 'v2'],
	...(['automatic', 'v2', 'v1'] as const).map((way) => asset('upload', way, {})),
	asset('uploadMask', 'v1', { original: reference }),
	asset('createFromHash', 'v2', { hash: HASH }),
	asset('get', 'v2', { assetId: JOB }),
	asset('delete', 'v2', { assetId: JOB }),
	...(['job:get', 'job:cancel', 'queue:get', 'nodeDefinition:getAll'] as const).map((what) => manage(what, 'automatic')),
	manage('job:getAll', 'v2'),
	...(['queue:delete', 'queue:interrupt', 'workflow:getAll'] as const).map((what) => manage(what, 'v1')),
	[
		'Manage Jobs: workflow:check',
		(at) => manageRun(credentialAt(at, 'v1'), 'workflow:check', { parameters: { workflowSource: 'json', workflow: colorGraph(1) } }),
		'v1',
	],
	...['synchronous', 'queued'].map((delivery) =>
		ofRouter(delivery, (at) => jsonRun(at, 'lab/image-1', { prompt: 'a fox' }, { parameters: { maxWaitMinutes: 60, delivery } })),
	),
	...(['model:get', 'model:getAll', 'model:getInputSchema', 'request:get', 'request:cancel'] as const).map((what) =>
		ofRouter(what, (at) => routerRun(at, what, 'lab/image-1', { parameters: { requestId: JOB } })),
	),
];

/** What a row does wrong, if anything. */
async function faultOf([name, run, way]: (typeof operations)[number], trouble: Trouble): Promise<string[]> {
	const address = addressOf(trouble);
	const { result, seconds } = await timed(run(address));
	const isOwnServer = way === 'automatic' || way === 'engine';
	const text = textOf(result);
	const isRight =
		result.status === 'error' &&
		SAYS[trouble].test(text) &&
		text.includes(address) &&
		/Wait For Server \(Minutes\)|may have been submitted/.test(text) &&
		// A request that may have had an effect is not sent again.
		seconds > 29 &&
		seconds < (trouble === 'silent' && isOwnServer ? BUSY_SECONDS : 60) + SLACK_SECONDS;
	return isRight ? [] : [`${name} (${way}): ${Math.round(seconds)} s, ${result.status}: ${text}`];
}

it.each(['refused', 'silent'] as const)('every operation of every node reports a %s server in time, with its address', async (trouble) => {
	expect((await Promise.all(operations.map(async (one) => await faultOf(one, trouble)))).flat()).toEqual([]);
});

it.each(['automatic', 'v2', 'v1'] as const)('all items of a run fail after the time of the first one (%s)', async (way) => {
	const items = Array.from({ length: 8 }, () => ({ json: {} }));
	const failAll = async (trouble: Trouble): Promise<void> => {
		const more = { items, ...CONTINUE, parameters: { options: { concurrency: 2 } } };
		const { result, seconds } = await timed(runRun(credentialAt(addressOf(trouble), way), colorGraph(1), more));
		const errors = jsons(result).map(({ error }) => String(error));
		expect(errors.map((error) => SAYS[trouble].test(error) || /may have been submitted/.test(error))).toEqual(items.map(() => true));
		expect(seconds).toBeLessThan((trouble === 'silent' && way === 'automatic' ? BUSY_SECONDS : 60) + SLACK_SECONDS);
	};
	await Promise.all([failAll('refused'), failAll('silent')]);
});

describe('Wait For Server (Minutes)', () => {
	it.each(['automatic', 'v2'] as const)('counts for the item that sets it: each of two items waits for its own time (%s)', async (way) => {
		const run = (...minutes: number[]) =>
			submitRun(credentialAt(refusing, way), colorGraph(1), {
				...CONTINUE,
				items: minutes.map((one) => ({ json: { minutes: one } })),
				parameters: { options: { waitForServerMinutes: '={{ $json.minutes }}', concurrency: 1 } },
			});
		const [alone, both] = [await timed(run(0)), await timed(run(1, 3))];
		expect(jsons(alone.result).map(({ error }) => SAYS.refused.test(String(error)))).toEqual([true]);
		expect(alone.seconds).toBeLessThan(SLACK_SECONDS);
		expect(jsons(both.result).map(({ error }) => SAYS.refused.test(String(error)))).toEqual([true, true]);
		expect(both.seconds).toBeGreaterThan(230);
		expect(both.seconds).toBeLessThan(240 + 2 * SLACK_SECONDS);
	});

	it.each(['bare_engine', 'engine'] as const)('a server that comes up in this time runs the workflow once (%s)', async (way) => {
		await sandbox.stopEngine();
		const before = sandbox.ledger.runs.length;
		const running = runNode(runRun(credentialFor(sandbox, way), colorGraph(1), { parameters: { options: { waitForServerMinutes: 3 } } }));
		await passed(90);
		await sandbox.startEngine();
		const result = await running;
		expect(result.error).toBeUndefined();
		expect(jsons(result)).toHaveLength(1);
		expect(sandbox.ledger.runs).toHaveLength(before + 1);
	});
});

it.each([
	['a tool of an agent answers before an MCP client gives up', {}, 30, 55],
	['a tool waits as long as its option says', { options: { waitForServerMinutes: 2 } }, 120, 120 + SLACK_SECONDS],
])('if ComfyUI is off, %s', async (_, parameters, least, most) => {
	const address = addressOf('refused');
	const runs = [
		runRun(credentialAt(address, 'engine'), colorGraph(1), { asTool: true, parameters }),
		manageRun(credentialAt(address, 'engine'), 'queue:get', { asTool: true, parameters }),
	];
	for (const { result, seconds } of await Promise.all(runs.map(timed))) {
		expect(JSON.stringify([result.error?.message, jsons(result)])).toMatch(SAYS.refused);
		expect([seconds >= least - 1, seconds <= most]).toEqual([true, true]);
	}
});

it('a wait for a job continues after an outage of 3 minutes, with live events and with polling', async () => {
	const at = credentialFor(sandbox, 'bare_engine');
	sandbox.configure({ gateOpen: false, engineConcurrency: 2 });
	const jobIds = [await submitted(sandbox, gatedGraph(1), at), await submitted(sandbox, gatedGraph(2), at)];
	const ended = Promise.all(
		['live', 'polling'].map(
			async (howToWait, index) => await runNode(waitRun(at, [String(jobIds[index])], { parameters: { howToWait, maxWaitMinutes: 60 } })),
		),
	);
	await passed(30);
	await sandbox.stopEngine();
	await passed(180);
	await sandbox.startEngine();
	sandbox.configure({ gateOpen: true });
	const results = await ended;
	expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
	expect(results.map((result) => jsons(result)[0])).toMatchObject(jobIds.map((job_id) => ({ job_id, status: 'succeeded' })));
});
