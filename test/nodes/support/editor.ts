import { LoadOptionsContext } from 'n8n-core';
import type { IDataObject, ILoadOptionsFunctions, INode, INodeType, INodeTypes, IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { credentialsHelperFor } from './credentials';
import { type Credential, nodes, type RouterCredential } from './engine';

/** Of the workflow that is being edited. */
export const TIME_ZONE = 'Asia/Tokyo';

/** n8n's own context of a node that is being set up; without a credential, none is chosen yet. */
export function editorContext(
	name: keyof typeof nodes,
	parameters: IDataObject,
	credential?: (Credential | RouterCredential) & { id?: string },
): ILoadOptionsFunctions {
	const type: INodeType = nodes[name];
	const nodeTypes = { getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => ({}) } as unknown as INodeTypes;
	const node: INode = {
		id: '1',
		name: 'Being Set Up',
		type: `n8n-nodes-comfy.${name}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		...(credential && { credentials: { [credential.type]: { id: credential.id ?? '1', name: 'test' } } }),
	};
	const currentNodeParameters = {
		authentication: credential?.type ?? 'comfyApi',
		...parameters,
		options: { ...(credential?.interface && { interface: credential.interface }), ...(parameters.options as IDataObject) },
	};
	const additionalData = {
		currentNodeParameters,
		credentialsHelper: credentialsHelperFor(credential),
		variables: {},
	} as unknown as IWorkflowExecuteAdditionalData;
	const workflow = new Workflow({
		id: 'wf1',
		name: 'test',
		active: false,
		nodeTypes,
		nodes: [node],
		connections: {},
		settings: { timezone: TIME_ZONE },
	});
	return new LoadOptionsContext(workflow, node, additionalData, 'parameters.inputs.values[0].input') as unknown as ILoadOptionsFunctions;
}
