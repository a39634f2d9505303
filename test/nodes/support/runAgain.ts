/** For the option *Run Failed Jobs Again*: workflows that fail as often as the sandbox says (`memoryFailures`). */
import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import type { Sandbox } from '../../../sandbox';
import { gatedGraph } from './graphs';
import type { NodeRun } from './testWorkflow';

/** Two items. Only the first one passes the gate that fails. Their seeds are random. */
export const twoItems = (): Pick<NodeRun, 'items'> & { workflow: string } => ({
	items: [{ json: { graph: JSON.stringify(seededGate(1)) } }, { json: { graph: JSON.stringify(seededGate(0)) } }],
	workflow: '={{ $json.graph }}',
});

/** Its seed is random. @param guarded 0: it always passes. */
export const seededGate = (guarded: 0 | 1 = 1): ApiGraph => {
	const graph = gatedGraph();
	const { '2': gate } = graph;
	return { ...graph, '2': { class_type: 'SandboxGate', inputs: { ...gate?.inputs, seed: -1, guarded } } };
};

/** The workflow uses a partner node. */
export const partnerGraph = (): ApiGraph => {
	const graph = seededGate();
	const { '2': gate } = graph;
	return {
		...graph,
		'2': { class_type: 'SandboxGate', inputs: { ...gate?.inputs, image: ['4', 0] } },
		'4': { class_type: 'SandboxPartner', inputs: { image: ['1', 0] } },
	};
};

/** An execution that a webhook started. */
export const webhook = () => ({
	mode: 'webhook' as const,
	executionContext: { version: 1 as const, establishedAt: Date.now(), source: 'webhook' as const },
});

export const again = (choice: 'no' | 'ifFree' | 'always', more: IDataObject = {}) => ({ runFailedJobsAgain: choice, ...more });

export const statusesIn = (sandbox: Sandbox) => sandbox.ledger.runs.map(({ jobId }) => sandbox.job(jobId)?.status);

/** Its seeds, as they were sent. */
export const seedsIn = (sandbox: Sandbox) =>
	sandbox.ledger.runs.map(({ jobId }) =>
		Object.values(sandbox.job(jobId)?.graph ?? {})
			.flatMap(({ inputs }) => inputs.seed ?? [])
			.join(),
	);
