import type { WorkflowDocument, WorkflowNode } from '../../../scripts/n8nHost/documents';
import type { Way } from '../../e2e/support/orders';
import { chain, line, node } from '../../e2e/support/workflows';

/** Comfy Run Workflow alone. */
export const inOneNode =
	(options: WorkflowNode['parameters']): Way =>
	(order, ordered, make) =>
		line('in one node', [order, make('comfyRunWorkflow', { ...ordered, options })]);

/** Shorter ones are kept in the memory of a worker. */
const SHORTEST_STORED_WAIT = { amount: 65, unit: 'seconds' };

const to = (...names: Array<string | null>) => ({
	main: names.map((name) => (name === null ? [] : [{ node: name, type: 'main', index: 0 }])),
});

/** What still runs after *Max Wait* rests in n8n's own Wait node, and is looked at again. */
export const restingInN8n =
	(maxWaitMinutes: number): Way =>
	(order, ordered, make) => ({
		name: 'resting in n8n',
		nodes: [
			order,
			make('comfyRunWorkflow', { ...ordered, options: { maxWaitMinutes } }),
			node('Rest', 'n8n-nodes-base.wait', 1.1, { resume: 'timeInterval', ...SHORTEST_STORED_WAIT }),
			make('comfyWaitForJob', { maxWaitMinutes }),
			make('comfyDownloadOutputs'),
		],
		connections: {
			[order.name]: to('comfyRunWorkflow'),
			comfyRunWorkflow: to(null, 'Rest'),
			Rest: to('comfyWaitForJob'),
			comfyWaitForJob: to('comfyDownloadOutputs', 'Rest'),
		},
	});

const merged = (one: WorkflowDocument, other: WorkflowDocument): WorkflowDocument => ({
	...one,
	nodes: [...one.nodes, ...other.nodes],
	connections: { ...one.connections, ...other.connections },
});

/** With a manual trigger besides, from which the jobs of this workflow are found and delivered. */
export const withSearch =
	(way: Way): Way =>
	(order, ordered, make) => {
		const filters = { madeByThisWorkflow: true };
		const search = make('comfyManageJobs', { resource: 'job', operation: 'getAll', returnAll: true, filters, options: {} });
		const found: WorkflowNode = { ...make('comfyDownloadOutputs'), name: 'Found', id: 'Found' };
		return merged(way(order, ordered, make), chain('what this workflow made', search, found));
	};
