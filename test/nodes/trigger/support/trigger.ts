import '../../support/engine';

import { Container } from '@n8n/di';
import { BinaryDataService, TriggerContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	INodeTypes,
	ITriggerResponse,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { ComfyProgressTrigger } from '../../../../nodes/ComfyProgressTrigger/ComfyProgressTrigger.node';
import { until } from '../../../support/until';
import { credentialsHelperFor } from '../../support/credentials';
import type { Credential } from '../../support/engine';

export interface TriggerRun {
	credential: Credential;
	parameters?: IDataObject;
	mode?: 'trigger' | 'manual';
	/** The trigger's ID in its workflow. All triggers are in one workflow. */
	nodeId?: string;
	/** What n8n stored of the workflow's static data before a restart. */
	staticData?: IDataObject;
	/** As in n8n 1, which starts an execution for each event. */
	withoutKeys?: boolean;
	/** As if n8n crashed after it stored the static data, and before it stored the execution. */
	losesExecutions?: boolean;
}

export interface RunningTrigger {
	/** Items of all executions it started, oldest first. */
	readonly items: INodeExecutionData[];
	/** The key of each, beyond which n8n starts no second execution. */
	readonly onceKeys: Array<string | undefined>;
	readonly failures: Error[];
	/** What n8n's log got. */
	readonly logged: string[];
	/** As n8n stored it with the latest execution. */
	readonly stored: IDataObject;
	/** Waits until this many items, of this kind if given, have come. */
	until(count: number, kind?: string): Promise<INodeExecutionData[]>;
	close(): Promise<void>;
}

function workflowFor({ credential, parameters, staticData = {}, nodeId = 'trigger-under-test' }: TriggerRun): Workflow {
	const type = 'n8n-nodes-comfy.comfyProgressTrigger';
	const find = (): INodeType => new ComfyProgressTrigger();
	const node = {
		id: nodeId,
		name: 'Progress',
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters: { authentication: credential.type, ...parameters },
		credentials: { [credential.type]: { id: '1', name: 'test' } },
	} as INode;
	return new Workflow({
		id: 'wf1',
		name: 'test',
		active: true,
		nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) } as INodeTypes,
		nodes: [node],
		connections: {},
		staticData: JSON.parse(JSON.stringify(staticData)) as IDataObject,
	});
}

const additionalData = (credential: Credential): IWorkflowExecuteAdditionalData =>
	({
		credentialsHelper: credentialsHelperFor(credential),
		variables: {},
		setExecutionStatus: () => undefined,
	}) as unknown as IWorkflowExecuteAdditionalData;

/** The keys of executions. n8n 2 starts only one execution for each key, also after a restart. */
const startedKeys = new Set<string>();

/** Activates the trigger on n8n's own context, as n8n does; what it emits is kept in place of executions. */
export async function startTrigger(run: TriggerRun): Promise<RunningTrigger> {
	await Container.get(BinaryDataService).init();
	const workflow = workflowFor(run);
	const node = workflow.getNode('Progress') as INode;
	const mode = run.mode ?? 'trigger';
	const items: INodeExecutionData[] = [];
	const onceKeys: Array<string | undefined> = [];
	const failures: Error[] = [];
	const logged: string[] = [];
	let stored = run.staticData ?? {};
	const emit = (data: INodeExecutionData[][], _response: unknown, _done: unknown, onceKey?: string): void => {
		stored = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
		if (run.losesExecutions || (onceKey !== undefined && startedKeys.has(onceKey))) return;
		if (onceKey !== undefined) startedKeys.add(onceKey);
		items.push(...data.flat());
		onceKeys.push(onceKey);
	};
	const emitWithoutKey = (data: INodeExecutionData[][], response: unknown, done: unknown): void => emit(data, response, done);
	const emitError = (error: Error): void => {
		throw new Error(`emitError would end the trigger: ${error.message}`);
	};
	const saveFailure = (error: Error): void => void failures.push(error);
	const context = new TriggerContext(
		workflow,
		node,
		additionalData(run.credential),
		mode,
		'activate',
		(run.withoutKeys ? emitWithoutKey : emit) as never,
		emitError,
	);
	// n8n 1 knows no such function, so that its context takes none.
	Object.assign(context, { saveFailedExecution: saveFailure });
	const log = (message: string, more?: unknown): void => void logged.push(`${message} ${JSON.stringify(more ?? {})}`);
	Object.defineProperty(context, 'logger', { value: { debug: log, info: log, warn: log, error: log } });

	const response: ITriggerResponse = await new ComfyProgressTrigger().trigger.call(context);
	if (mode === 'manual') await response.manualTriggerFunction?.();
	const ofKind = (kind?: string) => items.filter(({ json }) => kind === undefined || json.kind === kind);
	return {
		items,
		onceKeys,
		failures,
		logged,
		get stored() {
			return stored;
		},
		until: async (count, kind) => {
			await until(() => ofKind(kind).length >= count).catch(() => {
				const kinds = JSON.stringify(items.map(({ json }) => json.kind));
				throw new Error(`Only ${ofKind(kind).length} of ${count} came: ${kinds} ${logged.join('\n')}`);
			});
			return ofKind(kind);
		},
		close: async () => await response.closeFunction?.(),
	};
}
