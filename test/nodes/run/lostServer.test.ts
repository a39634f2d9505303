import { clock } from '../../../client/async/clock';
import { until } from '../../support/until';
import { countTurns } from '../../support/turnClock';
import { type Credential, type NodeResult, runNode } from '../support/engine';
import { FailingFront, type Trouble } from '../support/failingFront';
import { CONTINUE } from '../support/files';
import { credentialFor, type Way } from '../support/flavours';
import { gatedGraph } from '../support/graphs';
import { sharedPool } from '../support/pool';
import { runRun } from '../support/run';
import { sharedSandbox } from '../support/sandbox';
import { jsons } from '../support/submit';

countTurns(200);

const sandbox = sharedSandbox();
const fronts: FailingFront[] = [];
afterEach(async () => await Promise.all(fronts.splice(0).map(async (front) => await front.close())));

/** n8n's own work between the requests, and the time of a last request, on the client's clock. */
const SLACK_SECONDS = 75;

async function openFront(target: string): Promise<FailingFront> {
	const front = await FailingFront.open(target);
	fronts.push(front);
	return front;
}

/** The sandbox behind a front. Links stay on the address of the front. */
async function behindFront(way: Way): Promise<{ front: FailingFront; credential: Credential }> {
	const { type, data } = credentialFor(sandbox, way);
	const target = String(way === 'v1' ? data.hostedUrl : data.baseUrl);
	const front = await openFront(target);
	const address = way === 'v1' ? { hostedUrl: front.origin } : { baseUrl: front.origin };
	const links = type === 'comfySelfHostedApi' ? { keepLinksOnThisAddress: true, engineIsElsewhere: false, engineUrl: '' } : {};
	return { front, credential: credentialFor(sandbox, way, { ...address, ...links }) };
}

const passed = async (seconds: number): Promise<void> => await new Promise((resolve) => clock.after(seconds * 1_000, () => resolve()));

/** Another graph for each run, because an engine has the result of an equal one at once. */
let graphs = 0;
const newGraph = () => gatedGraph(++graphs);

const TWO_ITEMS = [{ json: {} }, { json: {} }];
const withOptions = (options: object) => ({ items: TWO_ITEMS, ...CONTINUE, parameters: { options: { maxWaitMinutes: 60, ...options } } });

const errorsOf = (result: NodeResult): string[] => jsons(result).map(({ error }) => String(error));
const jobIdsOf = (result: NodeResult): unknown[] => jsons(result).map(({ job_id }) => job_id);

/** Runs two items whose jobs wait at a gate, and waits until both jobs run. */
async function runTwo(credential: Credential, options: object = {}): Promise<{ running: Promise<NodeResult>; seconds: () => number }> {
	sandbox.configure({ gateOpen: false, engineConcurrency: 2, workers: 2 });
	const before = sandbox.ledger.runs.length;
	const running = runNode(runRun(credential, newGraph(), withOptions(options)));
	await until(() => sandbox.ledger.runs.length >= before + 2);
	await passed(2);
	const startedAt = clock.now();
	return { running, seconds: () => (clock.now() - startedAt) / 1_000 };
}

it.each<[Trouble, Way]>([
	['page', 'bare_engine'],
	['badGateway', 'self_hosted'],
	['halfOpen', 'hosted'],
	['refused', 'v1'],
])('a server that is %s fails both items after five minutes, with the reason, the time and the job (%s)', async (trouble, way) => {
	const { front, credential } = await behindFront(way);
	const { running, seconds } = await runTwo(credential);
	await front.fail(trouble);
	const result = await running;
	expect(seconds()).toBeGreaterThan(4 * 60);
	expect(seconds()).toBeLessThan(5 * 60 + SLACK_SECONDS);
	expect(new Set(jobIdsOf(result)).size).toBe(2);
	for (const [index, error] of errorsOf(result).entries()) {
		expect(error).toMatch(new RegExp(`Job ${String(jobIdsOf(result)[index])} could not be read for [56] minutes`));
	}
	sandbox.configure({ gateOpen: true });
});

it.each(['bare_engine', 'self_hosted', 'hosted', 'v1'] as const)(
	'an outage of three minutes delivers both items and submits nothing again (%s)',
	async (way) => {
		const { front, credential } = await behindFront(way);
		const { running } = await runTwo(credential);
		const runs = sandbox.ledger.runs.length;
		await front.fail('badGateway');
		await passed(180);
		await front.repair();
		sandbox.configure({ gateOpen: true });
		const result = await running;
		expect(errorsOf(result)).toEqual(['undefined', 'undefined']);
		expect(sandbox.ledger.runs).toHaveLength(runs);
	},
);

it('Report A Lost Server After (Minutes) is that of each item, and 0 minutes let Max Wait end the wait', async () => {
	const { front, credential } = await behindFront('bare_engine');
	const { running, seconds } = await runTwo(credential, {
		reportLostServerMinutes: '={{ [0.5, 0][$itemIndex] }}',
		maxWaitMinutes: '={{ [60, 12][$itemIndex] }}',
	});
	await front.fail('refused');
	const [early, late] = jsons(await running);
	expect(seconds()).toBeGreaterThan(10 * 60);
	expect(early?.error).toMatch(/could not be read for \d+ s: The server at .* the connection was refused/);
	expect(late?.error).toMatch(/did not finish within Max Wait/);
	expect(late?.error_description).toMatch(/latest status could not be read: .*the connection was refused/);
	sandbox.configure({ gateOpen: true });
});

it('a server that answers every tenth request is not reported', async () => {
	const { front, credential } = await behindFront('bare_engine');
	const { running } = await runTwo(credential);
	for (let minutes = 0; minutes < 8; minutes++) {
		await front.fail('badGateway');
		await passed(55);
		await front.repair();
		await passed(10);
	}
	sandbox.configure({ gateOpen: true });
	expect(errorsOf(await running)).toEqual(['undefined', 'undefined']);
});

it.each([
	['bare_engine', 'engine', 'POST /api/prompt'],
	['hosted', 'hosted', 'POST /api/v2/jobs'],
] as const)('a submission of two items that is answered with 500 fails within a minute, with the status (%s)', async (way, surface, on) => {
	const runs = sandbox.ledger.runs.length;
	sandbox.inject({ on, surface, times: 100, answer: { status: 500, body: '500 Internal Server Error: out of disk' } });
	const startedAt = clock.now();
	const result = await runNode(runRun(credentialFor(sandbox, way), newGraph(), withOptions({})));
	expect((clock.now() - startedAt) / 1_000).toBeLessThan(60 + SLACK_SECONDS);
	for (const error of errorsOf(result)) expect(error).toContain('HTTP 500');
	expect(sandbox.ledger.runs).toHaveLength(runs);
});

describe('a pool of three', () => {
	const pool = sharedPool();

	/** Runs a job on each server, and loses the second one. @returns the items, and the address of the lost server. */
	async function loseSecond(trouble: Trouble, options: object = {}) {
		const front = await openFront(pool.sandboxes[1].urls.engine);
		const before = pool.sandboxes.map(({ ledger }) => ledger.runs.length);
		for (const one of pool.sandboxes) one.configure({ gateOpen: false });
		const credential = pool.credential({ moreServers: `${front.origin}\n${pool.sandboxes[2].urls.engine}` });
		const items = [{ json: {} }, { json: {} }, { json: {} }];
		const running = runNode(runRun(credential, newGraph(), { ...withOptions(options), items }));
		await until(() => pool.sandboxes.every(({ ledger }, index) => ledger.runs.length > (before[index] ?? 0)));
		await passed(2);
		const startedAt = clock.now();
		await front.fail(trouble);
		await passed(30);
		for (const one of pool.sandboxes) one.configure({ gateOpen: true });
		const delivered = jsons(await running);
		expect((clock.now() - startedAt) / 1_000).toBeLessThan(5 * 60 + SLACK_SECONDS);
		expect(delivered).toHaveLength(3);
		return { delivered, lost: front.origin };
	}

	it.each(['refused', 'badGateway'] as const)(
		'one server that is %s during its job fails its item with its address, and the others deliver',
		async (trouble) => {
			const { delivered, lost } = await loseSecond(trouble);
			const failed = delivered.filter(({ error }) => error !== undefined);
			expect(failed).toHaveLength(1);
			expect(String(failed[0]?.error)).toMatch(/could not be read for [56] minutes/);
			expect(JSON.stringify(failed[0])).toContain(lost);
		},
	);

	it('the job of a lost server runs on another one if the option says so', async () => {
		const { delivered, lost } = await loseSecond('refused', { whenServerLost: 'runElsewhere' });
		expect(delivered.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
		expect(delivered.map(({ server }) => server)).not.toContain(lost);
	});
});
