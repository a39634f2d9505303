import { setTimeout as delay } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import { loopOverItems } from '../../support/around';
import { retryAfterDeath } from '../../support/crashed';
import { editorFile } from '../../support/editorFiles';
import { NODE_NAME, type NodeResult, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { slowGraph } from '../../support/graphs';
import { runRun } from '../../support/run';
import { jsons } from '../../support/submit';
import { freshSandbox } from '../../support/sandbox';

const sandbox = freshSandbox();

const items = [{ json: { n: 1 } }, { json: { n: 2 } }];
const run = (more = {}) =>
	runRun(credentialFor(sandbox, 'engine'), slowGraph(1, 1), { items, parameters: { options: { seeds: 'random' } }, ...more });
const seedsOf = (result: NodeResult) => jsons(result).map(({ seeds }) => (seeds as IDataObject)['2.seed']);
type Sent = Record<string, { inputs: { filename_prefix?: string } }>;
const namesSent = () =>
	sandbox
		.requests('POST /api/prompt', 'engine')
		.flatMap(({ bodyText }) =>
			Object.values((JSON.parse(bodyText) as { prompt: Sent }).prompt).flatMap(({ inputs }) => inputs.filename_prefix ?? []),
		);
it('a retry submits an item that a crash lost before its submission with the same seeds', async () => {
	const refusal = sandbox.inject({ on: 'POST /api/prompt', surface: 'engine', times: Infinity, answer: { status: 413 } });
	const retry = await retryAfterDeath(run());
	expect(refusal.used).toBeGreaterThan(0);
	const refused = sandbox
		.requests('POST /api/prompt', 'engine')
		.map(({ bodyText }) => (JSON.parse(bodyText) as { prompt: ReturnType<typeof slowGraph> }).prompt['2']?.inputs.seed);
	sandbox.clearFaults();
	const result = await runNode(retry);
	expect(seedsOf(result)).toEqual(expect.arrayContaining([...new Set(refused)]));
});

it('each execution, run and item generates different seeds', async () => {
	const seeds = [...seedsOf(await runNode(run())), ...seedsOf(await runNode(run()))];
	const looped = await runNode(run({ around: loopOverItems() }));
	seeds.push(...(looped.runData[NODE_NAME] ?? []).map(({ data }) => (data?.main?.[0]?.[0]?.json.seeds as IDataObject)['2.seed']));
	expect(seeds).toHaveLength(6);
	expect(new Set(seeds).size).toBe(6);
});

it('a retry sends file names with the date of the first start', async () => {
	const file = JSON.stringify(editorFile(7)).replace('from-editor', '%date:yyyy-MM-dd hh-mm-ss%');
	sandbox.inject({ on: 'POST /api/prompt', surface: 'engine', times: Infinity, answer: { status: 413 } });
	const retry = await retryAfterDeath(runRun(credentialFor(sandbox, 'engine'), file, { items: [{ json: {} }] }));
	await delay(1_100);
	const before = namesSent();
	await runNode(retry);
	expect(before[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d-\d\d-\d\d$/);
	expect(new Set(namesSent())).toEqual(new Set(before));
});
