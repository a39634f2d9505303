import type { IExecuteFunctions } from 'n8n-workflow';

import { beyondInterface } from './beyondInterface';

/** Whether n8n shows that something is connected to this output of the node. */
export function isConnected(execution: IExecuteFunctions, output: number): boolean {
	const outputs = beyondInterface(execution).workflow?.connectionsBySourceNode?.[execution.getNode().name]?.main;
	return (outputs?.[output] ?? []).length > 0;
}
