import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { until } from '../../support/until';
import type { RunOrder } from './support/runChild';
import { RUN, useRouterSandbox } from './support/sandbox';

const CHILD = join(__dirname, 'support', 'runChild.ts');
const harness = useRouterSandbox();

const argumentsFor = (idempotencyKey: string): string[] => {
	const { sandbox } = harness;
	const order: RunOrder = {
		baseUrl: sandbox.urls.router,
		key: sandbox.keys.apiKey,
		model: 'lab/slow',
		idempotencyKey,
		input: { prompt: '2024', ms: 1_500 },
	};
	return ['--import', 'tsx', CHILD, JSON.stringify(order)];
};

const runAnew = async (idempotencyKey: string): Promise<unknown> =>
	JSON.parse((await promisify(execFile)(process.execPath, argumentsFor(idempotencyKey))).stdout);

it('a process that ends in the middle of a run: a new one gets its result by the same key, billed once', async () => {
	const first = spawn(process.execPath, argumentsFor('killed-once'), { stdio: 'ignore' });
	await until(() => harness.sandbox.requests(RUN, 'router').length === 1);
	first.kill('SIGKILL');
	await once(first, 'exit');
	await expect(runAnew('killed-once')).resolves.toMatchObject({ facts: { idempotency_key: 'killed-once' }, output: { kind: 'json' } });
	expect(harness.billed('killed-once')).toBe(1);
});

it('a process that ends after its answer was lost: the same', async () => {
	harness.sandbox.inject({ on: RUN, surface: 'router', times: Infinity, fault: { kind: 'drop_after' } });
	const first = spawn(process.execPath, argumentsFor('lost-and-killed'), { stdio: 'ignore' });
	await until(() => harness.sandbox.requests(RUN, 'router').length >= 2, 20_000);
	first.kill('SIGKILL');
	await once(first, 'exit');
	harness.sandbox.clearFaults();
	await expect(runAnew('lost-and-killed')).resolves.toMatchObject({ facts: { replayed: true }, output: { kind: 'json' } });
	expect(harness.billed('lost-and-killed')).toBe(1);
});
