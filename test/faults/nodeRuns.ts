/** What the cells of whole nodes run: one item each, of which everything holds the cell's mark. */
import { createHash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { type ApiGraph, connect } from '../../client';
import type { Sandbox } from '../../sandbox';
import type { Credential, NodeRun, RouterCredential } from '../nodes/support/engine';
import { downloadRun, fileItem, uploadRun, workflowRun } from '../nodes/support/files';
import { credentialFor, type Way } from '../nodes/support/flavours';
import { manageRun } from '../nodes/support/manage';
import { jsonRun, routerCredential } from '../nodes/support/router';
import { runRun } from '../nodes/support/run';
import { submitRun, waitRun } from '../nodes/support/submit';
import { until } from '../support/until';
import type { Door } from './shapes';

/** A picture of the mark's own. */
export const markedGraph = (mark: string): ApiGraph => ({
	'1': {
		class_type: 'EmptyImage',
		inputs: { width: 8, height: 8, batch_size: 1, color: createHash('sha256').update(mark).digest().readUIntBE(0, 3) },
	},
	'2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: mark } },
});

const unendingGraph = (mark: string): ApiGraph => ({
	...markedGraph(mark),
	'2': { class_type: 'SandboxSampler', inputs: { image: ['1', 0], steps: 10_000, step_ms: 60_000, seed: 1 } },
	'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: mark } },
});

/** The sandbox, as the cell's proxy shows it. */
const behind = ({ sandbox, urls }: Door): Sandbox => ({ ...sandbox, urls, keys: sandbox.keys });

const credential = (door: Door, way: Way = 'hosted'): Credential => {
	const { type, data, interface: chosen = 'v2' } = credentialFor(behind(door), way, { routerUrl: door.urls.router });
	return { type, data, interface: way === 'bare_engine' ? 'engine' : chosen };
};
const router = (door: Door): RouterCredential => routerCredential(behind(door));

/** Submitted around the proxy. */
async function submitted({ sandbox }: Door, graph: ApiGraph, isWanted: (status: string) => boolean): Promise<string> {
	const connection = connect({ interface: 'v2', baseUrl: sandbox.urls.hosted, token: sandbox.keys.apiKey });
	const { job_id: id } = await connection.jobs.submit({ graph }).finally(async () => await connection.close());
	await until(() => isWanted(sandbox.job(id)?.status ?? ''));
	return id;
}

const finished = async (door: Door): Promise<string> => await submitted(door, markedGraph(door.mark), (status) => status === 'succeeded');
const running = async (door: Door): Promise<string> => await submitted(door, unendingGraph(door.mark), (status) => status === 'running');

const SOON = { maxWaitMinutes: 1 };
const runOf = (door: Door, way: Way): NodeRun =>
	runRun(credential(door, way), markedGraph(door.mark), { parameters: { ...SOON, options: {} } });
const routerRunOf = (door: Door): NodeRun =>
	jsonRun(
		router(door),
		'lab/open',
		{ prompt: door.mark },
		{
			parameters: { ...SOON, options: { idempotencyKeyMode: 'custom', idempotencyKey: door.mark } },
		},
	);
const goingOn = (run: NodeRun): NodeRun => ({ ...run, settings: { onError: 'continueRegularOutput' } });
const ofJob = (id: string): { parameters: IDataObject } => ({ parameters: { jobId: id } });

export const NODE_RUNS = {
	'node upload': (door) => uploadRun(credential(door), [fileItem(Buffer.from(door.mark.repeat(2_000)), `${door.mark}.bin`)]),
	'node submit': (door) => submitRun(credential(door), markedGraph(door.mark)),
	'node wait': async (door) => waitRun(credential(door), [await finished(door)], { parameters: SOON }),
	'node wait that goes on': async (door) => goingOn(waitRun(credential(door), [await finished(door)], { parameters: SOON })),
	'node get workflow': async (door) => workflowRun(credential(door), [await finished(door)]),
	'node download': async (door) => downloadRun(credential(door), [await finished(door)]),
	'node get job': async (door) => manageRun(credential(door), 'job:get', ofJob(await finished(door))),
	'node cancel job': async (door) => manageRun(credential(door), 'job:cancel', ofJob(await running(door))),
	'node get queue': (door) => manageRun(credential(door, 'v1'), 'queue:get'),
	'node get definitions': (door) => manageRun(credential(door, 'v1'), 'nodeDefinition:getAll', { parameters: { classes: 'SaveImage' } }),
	'node run over v2': (door) => runOf(door, 'hosted'),
	'node run over v2 that goes on': (door) => goingOn(runOf(door, 'hosted')),
	'node run over v2, its reads': (door) => runOf(door, 'hosted'),
	'node run over v1': (door) => runOf(door, 'v1'),
	'node run on an engine': (door) => runOf(door, 'bare_engine'),
	'node router run': (door) => routerRunOf(door),
	'node router run that goes on': (door) => goingOn(routerRunOf(door)),
} satisfies Record<string, (door: Door) => NodeRun | Promise<NodeRun>>;

export type NodeRunName = keyof typeof NODE_RUNS;
