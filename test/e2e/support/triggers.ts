import {
	type Execution,
	importWorkflow,
	type SavedCredential,
	type SavedWorkflow,
	type WorkflowDocument,
	type WorkflowNode,
} from '../../../scripts/n8nHost/documents';
import type { Session } from './session';
import { until } from './until';
import { comfy } from './workflows';

export const PROGRESS = 'comfyProgressTrigger';

/** Steps that a sampler between two quick nodes passes on its way. */
export const SAMPLING = { deliver: 'milestones', milestones: '40, 50, 60' };

/** Of a `gated` graph: the first two are passed before the gate. */
export const BESIDE_A_GATE = { deliver: 'milestones', milestones: '30, 40, 60' };

/** A workflow of nothing but a trigger on the hosted account. */
export const triggerWorkflow = (name: string, parameters: WorkflowNode['parameters']): WorkflowDocument => ({
	name,
	nodes: [comfy(PROGRESS, { source: 'hostedAccount', ...parameters })],
	connections: {},
});

export interface Published {
	readonly workflow: SavedWorkflow;
	/** All that have ended, oldest first. */
	executions(): Promise<Execution[]>;
	/** What the executions were started with, oldest first; a failed one that nothing started is not among them. */
	startItems(): Promise<Array<Record<string, unknown>>>;
	/** Until so many executions have ended. */
	until(count: number): Promise<Execution[]>;
	deactivate(): Promise<void>;
	activate(): Promise<void>;
}

const startItemsOf = ({ data, mode }: Execution): Array<Record<string, unknown>> =>
	mode === 'trigger'
		? Object.values(data.resultData.runData)
				.slice(0, 1)
				.flatMap(([run]) => (run?.data?.main[0] ?? []).map(({ json }) => json))
		: [];

/** Saves a workflow and activates it, as publishing does in the editor. */
export async function publish(
	{ rest, credentials }: Session,
	document: WorkflowDocument,
	saved: SavedCredential[] = credentials,
): Promise<Published> {
	const workflow = await importWorkflow(rest, document, saved);
	const executions = async (): Promise<Execution[]> => {
		const ended = (await rest.executions(workflow.id)).filter(({ status }) => !['new', 'running'].includes(status));
		const ids = ended.map(({ id }) => id).sort((one, other) => Number(one) - Number(other));
		return await Promise.all(ids.map(async (id) => await rest.execution(id)));
	};
	const startItems = async () => (await executions()).flatMap(startItemsOf);
	const activate = async () => {
		await rest.activate(workflow);
		await until('the publication', async () => ((await rest.publicationStatus(workflow)).status === 'in_progress' ? undefined : true));
	};
	await activate();
	return {
		workflow,
		executions,
		startItems,
		until: async (count) => {
			let started: Execution[] = [];
			const probe = async () => {
				started = await executions();
				return started.length >= count ? started : undefined;
			};
			try {
				return await until(`${count} executions of ${document.name}`, probe);
			} catch (error) {
				const seen = started.map(({ id, status }) => `${id} ${status}`).join(', ');
				throw new Error(`There were only ${started.length} executions: ${seen}`, { cause: error });
			}
		},
		activate,
		deactivate: async () => void (await rest.deactivate(workflow)),
	};
}
