/**
 * n8n's engine in a process of its own, to be killed. It says `ready`, is told what to run, and tells what n8n would have
 * written by then into its database and its log.
 *
 * node --import tsx n8nChild.ts, with a channel to its parent
 */
import '../../support/loopbackOnly';
import '../../nodes/support/typescriptFirst';

import type { IDataObject } from 'n8n-workflow';

import { bytesOf, type NodeRun, runNode } from '../../nodes/support/engine';
import { setSpeed } from '../../support/fastClock';

export const TIMES_FASTER = 5;

export interface DeliveredItem {
	json: IDataObject;
	file?: Buffer;
}

export interface Ended {
	/** What n8n would store of it. */
	stored: string;
	failure?: string;
	items: DeliveredItem[];
}

export type Told = { begun: string } | { started: string } | { ended: string } | { result: Ended };

const tell = async (told: Told | 'ready'): Promise<void> =>
	await new Promise((resolve) => {
		process.send?.(told, () => resolve());
	});

async function run(order: NodeRun): Promise<Ended> {
	const { stored, error, outputs } = await runNode({
		...order,
		watch: (hooks) => {
			hooks.addHandler('workflowExecuteBefore', async (_, data) => await tell({ begun: JSON.stringify(data) }));
			hooks.addHandler('nodeExecuteBefore', async (started) => await tell({ started }));
			hooks.addHandler('nodeExecuteAfter', async (ended) => await tell({ ended }));
		},
	});
	const items = await Promise.all(
		(outputs[0] ?? []).map(async (item) => ({ json: item.json, ...(item.binary?.data !== undefined && { file: await bytesOf(item) }) })),
	);
	return { stored, items, ...(error !== undefined && { failure: [error.message, error.description].filter(Boolean).join(' ') }) };
}

setSpeed(TIMES_FASTER);
process.on('message', (order) => void run(order as NodeRun).then(async (result) => await tell({ result })));
process.once('disconnect', () => process.exit());
void tell('ready');
