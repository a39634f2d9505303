/** Runs that look like one that was made before, and that are wanted nevertheless. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { NODE_NAME, nodes, runNode } from '../../support/engine';
import { fileItem } from '../../support/files';
import { credentialFor } from '../../support/flavours';
import { colorGraph, invertGraph } from '../../support/graphs';
import { freshPicture, IMAGE } from '../../support/inputImages';
import { byId, jsonRun, routerCredential, RUNS } from '../../support/router';
import { runRun } from '../../support/run';
import { freshSandbox } from '../../support/sandbox';
import { jsons, submitRun } from '../../support/submit';

const sandbox = freshSandbox();

it('M2: two executions with the same custom key and random seeds send the same body', async () => {
	const graph = { ...colorGraph(1), '7': { class_type: 'SandboxSampler', inputs: { image: ['1', 0], steps: 1, step_ms: 1, seed: 5 } } };
	const parameters = { options: { seeds: 'random', idempotencyKeyMode: 'custom', idempotencyKey: 'order 17' } };
	for (const way of ['deployment', 'hosted'] as const)
		for (const times of [1, 2]) {
			await runNode(runRun(credentialFor(sandbox, way), graph, { parameters, executionId: `${way} ${times}` }));
		}
	const bodies = sandbox.requests('POST /api/v2/jobs').map(({ bodyText }) => (JSON.parse(bodyText) as { workflow: unknown }).workflow);
	expect(bodies).toHaveLength(4);
	expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
	expect(bodies[0]).not.toMatchObject({ '7': { inputs: { seed: 5 } } });
});

it('M3: two router nodes of one workflow, each limited to one run, both run', async () => {
	const credential = routerCredential(sandbox);
	const run = jsonRun(credential, 'lab/free', { prompt: 'first' }, { parameters: { options: { limitRuns: 1 } } });
	const second: INodeParameters = {
		...(run.parameters as INodeParameters),
		inputJson: '{"prompt":"second"}',
		authentication: credential.type,
	};
	const result = await runNode({
		...run,
		around: {
			nodes: [
				{
					name: 'Second',
					type: nodes.comfyRunRouterModel,
					settings: {
						type: 'n8n-nodes-comfy.comfyRunRouterModel',
						parameters: { ...second, model: byId('lab/free') as never },
						credentials: { [credential.type]: { id: '1', name: 'test' } },
					},
				},
			],
			connections: {
				Start: { main: [[{ node: NODE_NAME, type: 'main', index: 0 }]] },
				[NODE_NAME]: { main: [[{ node: 'Second', type: 'main', index: 0 }]] },
			},
		},
	});
	expect(result.error).toBeUndefined();
	expect(sandbox.requests(RUNS).map(({ bodyText }) => (JSON.parse(bodyText) as IDataObject).prompt)).toEqual(['first', 'second']);
});

it.each(['engine', 'deployment'] as const)(
	'M4: an agent that calls the tool twice with the same prompt and another file gets two jobs (%s)',
	async (way) => {
		const base64 = async () => (await freshPicture()).toString('base64');
		const files = [await base64(), await base64()];
		const contextData: Record<string, IDataObject> = {};
		const call = async (file: string) => {
			const parameters = { files: { values: [{ input: IMAGE, from: 'base64', base64: file }] } };
			return jsons(
				await runNode(runRun(credentialFor(sandbox, way), invertGraph(), { asTool: true, executionId: 'one', contextData, parameters })),
			)[0];
		};
		const [one, other] = [await call(files[0]!), await call(files[1]!)];
		expect(one?.job_id).not.toBe(other?.job_id);
		expect(sandbox.ledger.runs.map(({ jobId }) => jobId)).toEqual([one?.job_id, other?.job_id]);
	},
);

it('two parallel executions of a webhook with equal bodies, and two executions of a step in the editor, make two jobs each', async () => {
	const credential = credentialFor(sandbox, 'engine');
	const executionContext = { version: 1 as const, establishedAt: Date.now(), source: 'webhook' as const };
	const webhook = () => submitRun(credential, colorGraph(1), { mode: 'webhook', executionContext: { ...executionContext } });
	const step = () => submitRun(credential, colorGraph(1), { isStep: true });
	for (const run of [webhook, step]) {
		const results = await Promise.all([runNode(run()), runNode(run())]);
		expect(new Set(results.map((result) => jsons(result)[0]?.job_id)).size).toBe(2);
	}
	expect(sandbox.ledger.runs).toHaveLength(4);
});

it('two files of one name in rows that are equal otherwise make two jobs, each of its own file', async () => {
	const items = [fileItem(await freshPicture(), 'photo.png'), fileItem(await freshPicture(), 'photo.png')];
	const parameters = { files: { values: [{ input: IMAGE, from: 'binary', binaryPropertyName: 'data' }] } };
	const result = await runNode(runRun(credentialFor(sandbox, 'engine'), invertGraph(), { items, parameters }));
	const sent = jsons(result).map(({ job_id: id }) => sandbox.job(String(id))?.graph['1']?.inputs.image);
	expect(new Set(sent).size).toBe(2);
});
