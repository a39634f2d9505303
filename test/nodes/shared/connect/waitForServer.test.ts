import { clock } from '../../../../client/clock';
import { deadOrigin } from '../../../client/support/deadOrigin';
import { serve, type TestServer } from '../../../client/support/server';
import { type Credential, type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { assetRun, CONTINUE, downloadRun, fileItem, uploadRun, workflowRun } from '../../support/files';
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
const SLACK_SECONDS = 20;
const JOB = '8f14e45f-ceea-467f-a34f-5ac0d1a0f1c2';
const HASH = `blake3:${'0'.repeat(64)}`;

countTurns(50);

const sandbox = sharedSandbox();
let silent: TestServer;
let refusing: string;
beforeAll(async () => {
	silent = await serve(() => undefined);
	refusing = await deadOrigin();
});
afterAll(async () => await silent.close());

type Trouble = 'refused' | 'not found' | 'silent';
const addressOf = (trouble: Trouble): string =>
	({ refused: refusing, 'not found': 'http://comfyui.invalid:8188', silent: silent.origin })[trouble];

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
	'not found': /The host name in http:\/\/comfyui\.invalid:8188 was not found/,
	silent: /did not respond within (60|300) s/,
};

const reference = { filename: 'cat.png', subfolder: '', type: 'input' };
const file = () => fileItem(Buffer.from('a picture'));

/** Each operation that opens a connection, with the parameters of a fresh node. */
const operations: Array<[name: string, run: (at: Credential) => NodeRun, ways: Way[]]> = [
	['Run Workflow', (at) => runRun(at, colorGraph(1)), ['automatic', 'v2', 'v1', 'engine']],
	['Submit Workflow', (at) => submitRun(at, colorGraph(1)), ['automatic', 'v2', 'v1', 'engine']],
	['Wait For Job', (at) => waitRun(at, [JOB]), ['automatic', 'v2', 'v1', 'engine']],
	['Upload Asset: Upload', (at) => uploadRun(at, [file()]), ['automatic', 'v2', 'v1']],
	['Upload Asset: Upload Mask', (at) => assetRun(at, 'uploadMask', { items: [file()], parameters: { original: reference } }), ['v1']],
	['Upload Asset: Create From Hash', (at) => assetRun(at, 'createFromHash', { parameters: { hash: HASH } }), ['v2']],
	['Upload Asset: Get', (at) => assetRun(at, 'get', { parameters: { assetId: JOB } }), ['v2']],
	['Upload Asset: Delete', (at) => assetRun(at, 'delete', { parameters: { assetId: JOB } }), ['v2']],
	['Get Workflow', (at) => workflowRun(at, [JOB]), ['automatic', 'v2']],
	['Download Outputs', (at) => downloadRun(at, [JOB]), ['automatic', 'v2']],
	...(['job:get', 'job:getAll', 'job:cancel'] as const).map((what): (typeof operations)[number] => [
		`Manage Jobs: ${what}`,
		(at) => manageRun(at, what, { parameters: { jobId: JOB } }),
		['automatic', 'v2'],
	]),
	...(['queue:get', 'queue:delete', 'queue:interrupt', 'nodeDefinition:getAll', 'workflow:getAll'] as const).map(
		(what): (typeof operations)[number] => [
			`Manage Jobs: ${what}`,
			(at) => manageRun(at, what, { parameters: { jobId: JOB, classes: 'KSampler' } }),
			['automatic', 'v1'],
		],
	),
	[
		'Manage Jobs: workflow:check',
		(at) => manageRun(at, 'workflow:check', { parameters: { workflowSource: 'json', workflow: colorGraph(1) } }),
		['automatic', 'v1'],
	],
];

const rows: Array<{ name: string; run: (address: string) => NodeRun; isOwnServer: boolean }> = operations.flatMap(([name, run, ways]) =>
	ways.map((way) => ({
		name: `${name} (${way})`,
		run: (at: string) => run(credentialAt(at, way)),
		isOwnServer: way === 'automatic' || way === 'engine',
	})),
);
const atRouter = (routerUrl: string) => routerCredential(sandbox, 'comfyApi', { routerUrl });
const routerRows = ['synchronous', 'queued'].map((delivery) => ({
	name: `model:run, ${delivery}`,
	run: (at: string) => jsonRun(atRouter(at), 'lab/image-1', { prompt: 'a fox' }, { parameters: { maxWaitMinutes: 60, delivery } }),
	isOwnServer: false,
}));
rows.push(
	...routerRows,
	...(['model:get', 'model:getAll', 'model:getInputSchema', 'request:get', 'request:cancel'] as const).map((what) => ({
		name: what,
		run: (at: string) => routerRun(atRouter(at), what, 'lab/image-1', { parameters: { requestId: JOB } }),
		isOwnServer: false,
	})),
);

/** What a row does wrong, if anything. */
async function faultOf(row: (typeof rows)[number], trouble: Trouble): Promise<string[]> {
	const address = addressOf(trouble);
	const { result, seconds } = await timed(row.run(address));
	const text = textOf(result);
	const isRight =
		result.status === 'error' &&
		SAYS[trouble].test(text) &&
		text.includes(address) &&
		/Wait For Server \(Minutes\)|may have been submitted/.test(text) &&
		// A request that may have had an effect is not sent again.
		seconds > 29 &&
		seconds < (trouble === 'silent' && row.isOwnServer ? BUSY_SECONDS : 60) + SLACK_SECONDS;
	return isRight ? [] : [`${row.name}: ${Math.round(seconds)} s, ${result.status}: ${text}`];
}

it.each(['refused', 'silent'] as const)('every operation of every node reports a %s server in time, with its address', async (trouble) => {
	expect((await Promise.all(rows.map(async (row) => await faultOf(row, trouble)))).flat()).toEqual([]);
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
	const withMinutes = (waitForServerMinutes: number) => ({ parameters: { options: { waitForServerMinutes } } });

	it.each([
		[0, 'automatic', 0],
		[3, 'automatic', 175],
		[3, 'v2', 175],
	] as const)('%d lets the node try for so many minutes (%s)', async (minutes, way, atLeastSeconds) => {
		const { result, seconds } = await timed(submitRun(credentialAt(refusing, way), colorGraph(1), withMinutes(minutes)));
		expect(result.error?.message).toMatch(/the connection was refused/);
		expect(seconds).toBeGreaterThan(atLeastSeconds);
		expect(seconds).toBeLessThan(minutes * 60 + SLACK_SECONDS);
	});

	it('counts for the item that sets it: the second of two items waits longer', async () => {
		const run = submitRun(credentialAt(refusing, 'automatic'), colorGraph(1), {
			...CONTINUE,
			items: [{ json: { minutes: 0 } }, { json: { minutes: 3 } }],
			parameters: { options: { waitForServerMinutes: '={{ $json.minutes }}', concurrency: 1 } },
		});
		const { result, seconds } = await timed(run);
		expect(jsons(result).map(({ error }) => SAYS.refused.test(String(error)))).toEqual([true, true]);
		expect(seconds).toBeGreaterThan(175);
	});

	it.each(['bare_engine', 'engine'] as const)('a server that comes up in this time runs the workflow once (%s)', async (way) => {
		await sandbox.stopEngine();
		const before = sandbox.ledger.runs.length;
		const running = runNode(runRun(credentialFor(sandbox, way), colorGraph(1), withMinutes(3)));
		await passed(90);
		await sandbox.startEngine();
		const result = await running;
		expect(result.error).toBeUndefined();
		expect(jsons(result)).toHaveLength(1);
		expect(sandbox.ledger.runs).toHaveLength(before + 1);
	});
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
