/** The nodes of this package, on n8n's real engine. */
import { createReadStream, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { IBinaryKeyData, INodeType } from 'n8n-workflow';

import { type Credential, NODE_NAME, type NodeRun, runNode } from '../../../test/nodes/support/engine';
import { downloadRun, uploadRun } from '../../../test/nodes/support/files';
import { colorGraph } from '../../../test/nodes/support/graphs';
import { runRun } from '../../../test/nodes/support/run';
import type { Work } from '../work';
import { sharedNow } from '../services';
import { batchOf, type BatchOptions, endsOf, type FileOptions } from './shared';

const NEXT = 'Next';

const credentialFor = (origin: string): Credential => ({
	type: 'comfyApi',
	data: { apiKey: 'bench', baseUrl: origin, hostedUrl: origin, routerUrl: origin },
});

const connectedTo = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });

/** A node that passes its items on. */
const passOn = (onRun: () => void = () => undefined): INodeType => ({
	description: {
		displayName: NEXT,
		name: 'next',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: NEXT },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	},
	async execute() {
		onRun();
		return await Promise.resolve([this.getInputData()]);
	},
});

const filesIn = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name));

/** The time is the one that n8n itself reports for the node. Files that have come since are removed. */
function workOf(run: NodeRun, folder: string): Work {
	const before = new Set(filesIn(folder));
	return {
		once: async () => {
			const task = (await runNode(run)).runData[NODE_NAME]?.at(-1);
			if (task?.executionStatus !== 'success') throw new Error(task?.error?.message ?? `${NODE_NAME} did not run`);
			return { ms: task.executionTime };
		},
		afterwards: async () => {
			for (const path of filesIn(folder)) if (!before.has(path)) await rm(path);
		},
	};
}

/** One file, put into n8n's store. */
async function storedFile(path: string): Promise<IBinaryKeyData> {
	const { runData } = await runNode({
		node: 'comfyUploadAsset',
		credential: credentialFor('http://127.0.0.1'),
		items: [{ files: { data: { content: createReadStream(path), fileName: 'a.bin' } } }],
		around: { nodes: [{ name: NEXT, type: passOn() }], connections: { Start: connectedTo(NEXT) } },
	});
	return runData[NEXT]?.[0]?.data?.main?.[0]?.[0]?.binary ?? {};
}

/** Comfy Upload Asset, of a file in n8n's store. */
export async function upload({ origin, path, hashes, folder }: FileOptions): Promise<Work> {
	const items = [{ binary: await storedFile(path) }];
	return workOf(uploadRun(credentialFor(origin), items, { options: { skipIfAlreadyStored: hashes } }), folder);
}

/** Comfy Download Outputs, into n8n's store. */
export const download = ({ origin, folder }: FileOptions): Work =>
	workOf(downloadRun(credentialFor(origin), ['6f0dd4b2-6d66-4f6e-9d0f-4c1d1c6d6a11']), folder);

/** Comfy Wait For Job, until the node behind it runs. */
export const ends = async (options: BatchOptions): Promise<Work> =>
	await endsOf(options, (origin) => async (id) => {
		let begunAt = NaN;
		const { status, error } = await runNode({
			node: 'comfyWaitForJob',
			credential: credentialFor(origin),
			items: [{ json: { job_id: id } }],
			parameters: { operation: 'wait' },
			around: {
				nodes: [{ name: NEXT, type: passOn(() => (begunAt = sharedNow())) }],
				connections: { Start: connectedTo(NODE_NAME), [NODE_NAME]: connectedTo(NEXT) },
			},
		});
		if (status !== 'success') throw new Error(error?.message);
		return begunAt;
	});

/** One call of Comfy Run Workflow. */
export const batch = async (options: BatchOptions): Promise<Work> =>
	await batchOf(options, (origin) => async (items) => {
		const { status, error, outputs } = await runNode(
			runRun(credentialFor(origin), colorGraph(1), {
				items: Array.from({ length: items }, (_, color) => ({ json: { color } })),
				parameters: { options: { concurrency: options.concurrency, inputValues: '={{ { "1": { color: $json.color } } }}' } },
			}),
		);
		if (status !== 'success' || outputs[0]?.length !== items) throw new Error(error?.message ?? `${outputs[0]?.length} items came back`);
	});
