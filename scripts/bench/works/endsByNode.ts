import type { INodeType } from 'n8n-workflow';

import { NODE_NAME, runNode } from '../../../test/nodes/support/engine';
import { sharedNow } from '../clock';
import type { Work } from '../contest/types';
import { endsOf, type EndsOptions } from './ends';
import { credentialFor, idle } from './n8n';

const NEXT = 'Then';

/** Comfy Wait For Job, until the node behind it runs. */
export const endsByNode = async (options: EndsOptions): Promise<Work> =>
	await endsOf(options, (origin) => async (id) => {
		let begunAt = NaN;
		const next: INodeType = {
			...idle,
			async execute() {
				begunAt = sharedNow();
				return await Promise.resolve([this.getInputData()]);
			},
		};
		const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
		const { status, error } = await runNode({
			node: 'comfyWaitForJob',
			credential: credentialFor(origin),
			items: [{ json: { job_id: id } }],
			parameters: { operation: 'wait' },
			around: { nodes: [{ name: NEXT, type: next }], connections: { Start: to(NODE_NAME), [NODE_NAME]: to(NEXT) } },
		});
		if (status !== 'success') throw new Error(error?.message);
		return begunAt;
	});
