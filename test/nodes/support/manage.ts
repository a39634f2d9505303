import type { Credential, NodeRun } from './engine';

type ManageOperation =
	| 'job:get'
	| 'job:getAll'
	| 'job:getLog'
	| 'job:cancel'
	| 'queue:get'
	| 'queue:delete'
	| 'queue:interrupt'
	| 'nodeDefinition:getAll'
	| 'server:clearHistory'
	| 'server:freeMemory'
	| 'server:getAllModels'
	| 'server:getInfo'
	| 'workflow:check'
	| 'workflow:getAll';

export function manageRun(credential: Credential, what: ManageOperation, more: Partial<NodeRun> = {}): NodeRun {
	const [resource, operation] = what.split(':');
	return { node: 'comfyManageJobs', credential, ...more, parameters: { resource, operation, ...more.parameters } };
}
