import type { IDataObject } from 'n8n-workflow';

import { until } from '../../../support/until';
import type { ApiGraph } from '../../../../client';
import type { ServiceSurface } from '../../../../sandbox';
import { type SandboxHarness, useSandbox } from '../../../client/support/sandbox';
import { credentialFor } from '../../support/flavours';
import { type RunningTrigger, startTrigger, type TriggerRun } from './trigger';

/** A sandbox to listen to, on the hosted account unless said otherwise. */
export function useScene() {
	const harness = useSandbox();
	const running: RunningTrigger[] = [];
	afterEach(async () => {
		await Promise.all(running.splice(0).map(async (trigger) => await trigger.close()));
		// Else the next test takes this one's socket for its own.
		await until(() => harness.sandbox.sockets().length === 0);
	});
	return Object.assign(Object.create(harness) as SandboxHarness, {
		/** Activates a trigger; closed after the test. */
		listen: async (run: Partial<TriggerRun> = {}, surface: ServiceSurface = 'hosted') => {
			const trigger = await startTrigger({ credential: credentialFor(harness.sandbox, surface), ...run });
			running.push(trigger);
			return trigger;
		},
		submit: async (graph: ApiGraph, surface: ServiceSurface = 'hosted') => await harness.connect(surface).jobs.submit({ graph }),
		/** Until so many sockets are open. */
		connected: async (sockets = 1) => await until(() => harness.sandbox.sockets().length === sockets),
	});
}

/** The parameters of a trigger, by their names on the node. */
export const deliver = (delivery: string, more: Record<string, unknown> = {}): { parameters: TriggerRun['parameters'] } => ({
	parameters: {
		source: 'hostedAccount',
		deliver: delivery,
		...(delivery === 'milestones' && { milestones: '25, 50, 75' }),
		...more,
	} as TriggerRun['parameters'],
});

/** What n8n stored, as if our own clock had been ahead by so much. */
export function deliveredLater(stored: object, milliseconds: number): IDataObject {
	return JSON.parse(JSON.stringify(stored), (name, value: unknown) =>
		name === 'deliveredAt' && typeof value === 'number' ? value + milliseconds : value,
	) as IDataObject;
}
