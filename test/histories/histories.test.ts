/** That random histories find what they are for: operations that break a promise are planted, and told by a short history. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { type Sandbox, startSandbox } from '../../sandbox';
import { mayBeUnmet } from '../support/metFaults';
import type { History } from './history';
import type { Interface } from './interfaces/interface';
import { deployment } from './interfaces/jobs';
import { holdLives } from './life';
import { type Failed, playHistory, runHistories } from './runHistories';

let sandbox: Sandbox;
let release: () => void;
beforeAll(async () => {
	release = holdLives(10);
	const started = await startSandbox();
	sandbox = {
		...started,
		inject: (rule) => {
			const handle = started.inject(rule);
			// Whether a request meets it is left to chance.
			mayBeUnmet(handle);
			return handle;
		},
	};
});
afterAll(async () => {
	await sandbox.close();
	release();
});

const MOST_HISTORIES = 60;
const range = { ...deployment.range, mostItems: 1, inputs: ['fixed' as const] };

const QUIET: History = {
	shape: 'one node',
	twins: 'none',
	reads: 'field',
	input: 'fixed',
	key: 'automatic',
	rows: 1,
	areEqual: false,
	savesProgress: false,
	namesRetried: true,
	keepsStart: true,
	hasDate: true,
	minutesAhead: 0,
	actions: [],
};

/** The node sees another execution than n8n has. */
const planted = (change: () => Partial<IExecuteFunctions>): Interface => ({
	...deployment,
	range,
	unconfirmed: [],
	node: {
		...deployment.node,
		execute: async (execution) => await deployment.node.execute(Object.assign(execution, change())),
	},
});

const failureOf = async (via: Interface): Promise<Failed | undefined> =>
	(await runHistories(via, sandbox, { seed: 1, histories: MOST_HISTORIES })).failed;

it('a client that forgets what it has sent, and derives another key each time, bills twice', async () => {
	let runs = 0;
	const forgetful = planted(() => ({
		getContext: () => ({}),
		getExecutionContext: () => ({ version: 1, establishedAt: Date.now() + runs++, source: 'webhook' }),
		getMode: () => 'webhook',
		getWorkflow: () => ({ id: `run ${runs}`, name: 'A flow', active: true }),
	}));
	const failed = await failureOf(forgetful);
	expect(failed?.trouble).toMatch(/Billed 2 times|2 keys for 1/);
	expect(failed?.history?.actions.length).toBeLessThanOrEqual(2);
});

it('a client that brings its result twice is found by the first history', async () => {
	const generous: Interface = {
		...deployment,
		range,
		node: {
			...deployment.node,
			execute: async (execution) => (await deployment.node.execute(execution)).map((items) => items.flatMap((item) => [item, item])),
		},
	};
	const failed = await failureOf(generous);
	expect(failed?.trouble).toContain('Items were delivered 2 times');
	expect(failed?.history?.actions).toEqual([]);
});

it('what fails is played again by its seed and path', async () => {
	const mute: Interface = { ...deployment, range, node: { ...deployment.node, execute: async () => await Promise.resolve([[], []]) } };
	const failed = await failureOf(mute);
	const again = await runHistories(mute, sandbox, { seed: failed?.seed ?? 0, histories: 1, path: failed?.path });
	expect(again.failed?.history).toEqual(failed?.history);
});

it('without a plant: a killed n8n, a lost answer, and a clock that is set back give one bill and one result', async () => {
	const counts = await playHistory(deployment, sandbox, {
		...QUIET,
		rows: 2,
		actions: [
			{ does: 'fault', on: 'submission', fault: 'answer lost' },
			{ does: 'run', again: 'Retry execution', failed: 0, incidents: [{ event: 'kill', request: 'submission', moment: 'answered' }] },
			{ does: 'clock', minutes: -60 },
		],
	});
	expect(counts).toMatchObject({ delivered: 1, unconfirmed: {}, conditions: {} });
	expect(counts.runs).toBeGreaterThan(1);
});
