import { createReadStream } from 'node:fs';

import type { IBinaryKeyData, INodeType, IRunData } from 'n8n-workflow';

import { type Credential, type NodeRun, runNode } from '../../../test/nodes/support/engine';

export const credentialFor = (origin: string): Credential => ({
	type: 'comfyApi',
	data: { apiKey: 'bench', baseUrl: origin, hostedUrl: origin, routerUrl: origin },
});

/** As n8n measures it. @throws the node's own error. */
export function executionMs(runData: IRunData, node: string): number {
	const task = runData[node]?.at(-1);
	if (task === undefined || task.executionStatus !== 'success') throw new Error(task?.error?.message ?? `${node} did not run`);
	return task.executionTime;
}

/** Takes what it is given, and does nothing. */
export const idle: INodeType = {
	description: {
		displayName: 'Idle',
		name: 'idle',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Idle' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	},
	async execute() {
		return await Promise.resolve([this.getInputData()]);
	},
};

/** One file, put into n8n's store. */
export async function storedFile(path: string): Promise<IBinaryKeyData> {
	const run: NodeRun = {
		node: 'comfyUploadAsset',
		credential: credentialFor('http://127.0.0.1'),
		items: [{ files: { data: { content: createReadStream(path), fileName: 'a.bin' } } }],
		around: { nodes: [{ name: 'idle', type: idle }], connections: { Start: { main: [[{ node: 'idle', type: 'main', index: 0 }]] } } },
	};
	const { runData } = await runNode(run);
	return runData.idle?.[0]?.data?.main?.[0]?.[0]?.binary ?? {};
}
