import type { EditedNode } from '../../../scripts/n8nHost/rest';
import type { WorkflowNode } from '../../../scripts/n8nHost/documents';
import type { Session } from './session';
import { comfy } from './workflows';

type RouterWay = 'comfyApi' | 'comfyRouterJwtApi';
export const routerWays: RouterWay[] = ['comfyApi', 'comfyRouterJwtApi'];

/** Calls that run a model. */
export const RUNS = 'POST /v2/models/:provider/:model';

/** No attempt of the node's own after the first. */
export const ONE_ATTEMPT = { maxWaitMinutes: 0 };

interface Settings extends Partial<WorkflowNode> {
	way?: RouterWay;
}

const routerNode = (parameters: WorkflowNode['parameters'], { way = 'comfyApi', ...settings }: Settings = {}): WorkflowNode =>
	comfy(
		'comfyRunRouterModel',
		{ authentication: way, resource: 'model', operation: 'run', ...parameters },
		{ credentials: { [way]: { id: null, name: '' } }, ...settings },
	);

const fromList = (id: string) => ({ __rl: true, mode: 'list', value: id, cachedResultName: id });

/** Runs a model with its form filled in, as the editor saves it. */
export const formRun = (model: string, value: object, parameters: WorkflowNode['parameters'] = {}, settings: Settings = {}): WorkflowNode =>
	routerNode(
		{
			model: fromList(model),
			inputMode: 'form',
			form: { mappingMode: 'defineBelow', matchingColumns: [], schema: [], value },
			...parameters,
		},
		settings,
	);

export const jsonRun = (model: string, input: object, parameters: WorkflowNode['parameters'] = {}, settings: Settings = {}): WorkflowNode =>
	routerNode({ model: fromList(model), inputMode: 'json', inputJson: JSON.stringify(input), ...parameters }, settings);

/** What the editor sends to see the node's list of models, or the form of the model it stands on. */
export function edited({ credentials }: Session, parameter: 'model' | 'form', model: string, way: RouterWay = 'comfyApi'): EditedNode {
	const saved = credentials.find(({ type }) => type === way);
	if (!saved) throw new Error(`No credential of type ${way}`);
	const methodName = { model: 'searchModels', form: 'inputFields' }[parameter];
	const node = routerNode({ model: fromList(model), inputMode: 'form' }, { credentials: { [way]: { id: saved.id, name: saved.name } } });
	return { parameter, methodName, node: { ...node, parameters: { ...node.parameters, authentication: way } } };
}
