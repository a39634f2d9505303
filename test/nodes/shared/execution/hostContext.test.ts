import type { IConnections, IExecuteFunctions, Logger } from 'n8n-workflow';

import { isDebugEnabled, isOutputConnected } from '../../../../nodes/shared/execution/hostContext';

const connected = (connections?: IConnections) => ({ connectionsBySourceNode: connections });
const next = [{ node: 'Next', type: 'main' as const, index: 0 }];

it.each<[what: string, workflow: object | undefined, outputs: boolean[]]>([
	['n8n does not show the workflow', undefined, [false, false]],
	['n8n does not show the connections', connected(), [false, false]],
	['only another node is connected', connected({ Other: { main: [next] } }), [false, false]],
	['only an output of another kind is connected', connected({ 'Under Test': { ai_tool: [next] } }), [false, false]],
	['the first output is connected', connected({ 'Under Test': { main: [next] } }), [true, false]],
	['the second output is connected', connected({ 'Under Test': { main: [[], next] } }), [false, true]],
	['the connection of the first output was removed', connected({ 'Under Test': { main: [null, next] } }), [false, true]],
])('knows which outputs of a node are connected if %s', (_what, workflow, outputs) => {
	const execution = { workflow, getNode: () => ({ name: 'Under Test' }) } as unknown as IExecuteFunctions;
	expect([isOutputConnected(execution, 0), isOutputConnected(execution, 1)]).toEqual(outputs);
});

it('knows whether n8n logs at level debug', () => {
	const logger = (level?: string) => ({ level }) as unknown as Logger;
	expect([logger('debug'), logger('info'), logger(), undefined].map((one) => isDebugEnabled(one))).toEqual([true, false, false, false]);
});
