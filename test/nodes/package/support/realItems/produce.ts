import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../../../client';
import type { Sandbox } from '../../../../../sandbox';
import { textToImage } from '../../../../support/stockGraphs';
import { until } from '../../../../support/until';
import { type Credential, type InputItem, type NodeRun, runNode } from '../../../support/engine';
import { CONTINUE, fileItem } from '../../../support/files';
import { credentialFor, type Way } from '../../../support/flavours';
import { colorGraph, gatedGraph } from '../../../support/graphs';
import { solidPicture } from '../../../support/pictures';
import { finished, jsons, submitted, waitRun } from '../../../support/submit';

/** Items by operation: `<node>`, or `<node>/[<resource>/]<operation>`. Each call runs the node with the default settings. */
export type RealItems = Record<string, () => Promise<IDataObject[]>>;

export const everyInterface: Way[] = ['hosted', 'self_hosted', 'v1', 'bare_engine'];
/** The interfaces that offer what v2 does not. */
export const withControl: Way[] = ['v1', 'bare_engine'];

let color = 0x300000;

/** Returns two different workflows: one has a seed, and the other one also returns a text. */
export const twoGraphs = (): ApiGraph[] => [
	{ ...textToImage, '9': { ...textToImage['9'], inputs: { ...textToImage['9'].inputs, filename_prefix: `fox-${color++}` } } },
	{ ...colorGraph(color++), '5': { class_type: 'PreviewAny', inputs: { source: 'a fox' } } },
];

export const twoPictures = async (): Promise<InputItem[]> => [
	fileItem(await solidPicture('red')),
	fileItem(await solidPicture('blue'), 'dog.png'),
];

/** @throws the error of the node if it returns no item. */
export async function itemsOf(run: NodeRun): Promise<IDataObject[]> {
	const result = await runNode(run);
	const items = jsons(result);
	if (items.length === 0) throw result.error ?? new Error('The node returned no item');
	return items;
}

/** Runs a node for each value, one after the other. */
export async function forEach<T>(values: readonly T[], items: (value: T) => Promise<IDataObject[]>): Promise<IDataObject[]> {
	const all: IDataObject[] = [];
	for (const value of values) all.push(...(await items(value)));
	return all;
}

export const over = async (sandbox: Sandbox, ways: readonly Way[], items: (credential: Credential) => Promise<IDataObject[]>) =>
	await forEach(ways, async (way) => await items(credentialFor(sandbox, way)));

export async function finishTwo(sandbox: Sandbox, credential: Credential): Promise<string[]> {
	const ids: string[] = [];
	for (const graph of twoGraphs()) ids.push(await finished(sandbox, graph, credential));
	return ids;
}

/** Calls `read` while one job runs and another one waits, and ends both. */
export async function whileJobsWait(
	sandbox: Sandbox,
	credential: Credential,
	read: (running: string, waiting: string) => Promise<IDataObject[]>,
): Promise<IDataObject[]> {
	sandbox.configure({ workers: 1, gateOpen: false });
	const running = await submitted(sandbox, gatedGraph(color++), credential);
	await until(() => sandbox.ledger.executedNodes.some(({ jobId }) => jobId === running));
	const waiting = await submitted(sandbox, gatedGraph(color++), credential);
	const items = await read(running, waiting);
	sandbox.configure({ workers: 4, gateOpen: true });
	await runNode(waitRun(credential, [running, waiting], CONTINUE));
	return items;
}
