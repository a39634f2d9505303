import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';

import { EventDispatcher } from '../../../client';
import { TriggerMemory } from '../../../nodes/ComfyProgressTrigger/memory';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NOW = Date.now();

const memoryOf = (staticData: IDataObject, source = 'here'): TriggerMemory =>
	new TriggerMemory({ getWorkflowStaticData: () => staticData } as unknown as ITriggerFunctions, source, NOW);

const stored = (facts: IDataObject): IDataObject => ({
	comfyProgress: { source: 'here', listeningSince: NOW - 9 * DAY_MS, deliveredAt: NOW, followed: {}, ended: {}, ...facts },
});

const ago = ({ since }: TriggerMemory): number => NOW - since;

it('the trigger looks back one day at most', () => {
	// A minute is for the clocks.
	expect(ago(memoryOf(stored({ deliveredAt: NOW - 60 * MINUTE_MS })))).toBe(61 * MINUTE_MS);
	expect(ago(memoryOf(stored({ deliveredAt: NOW - 5 * DAY_MS })))).toBe(DAY_MS);
});

it('the memory of another source is ignored', () => {
	const memory = memoryOf(stored({ deliveredAt: NOW - DAY_MS }), 'elsewhere');
	expect([ago(memory), memory.read(true)]).toEqual([0, undefined]);
});

it('ends are remembered for two days', () => {
	const staticData = stored({});
	const ended = { old: NOW - 3 * DAY_MS, young: NOW - DAY_MS };
	memoryOf(staticData).save(new EventDispatcher({ interface: 'v1', milestones: [], state: { followed: {}, ended } }), true);
	expect(memoryOf(staticData).read(true)?.ended).toEqual({ young: ended.young });
});

describe('ends of the last 10 seconds before the last delivery', () => {
	const read = (deliveredAgoMs: number, canRepeat: boolean) => {
		const deliveredAt = NOW - deliveredAgoMs;
		const followed = { running: { milestone: 50, outputs: ['9/a.png'] } };
		const ended = { old: deliveredAt - 10_001, young: deliveredAt - 10_000 };
		return memoryOf(stored({ deliveredAt, followed, ended })).read(canRepeat);
	};
	const running = { milestone: 50, outputs: ['9/a.png'] };

	it('are delivered again, because n8n may have crashed before it stored their executions', () => {
		const { followed, ended } = read(60_000, true) ?? {};
		expect(followed).toEqual({ running, young: { milestone: 0, outputs: [] } });
		expect(Object.keys(ended ?? {})).toEqual(['old']);
	});

	it.each([
		['by an n8n that starts an execution for each event', 60_000, false],
		['after half an hour, because n8n may have forgotten the key of the execution', 30 * MINUTE_MS + 1, true],
	])('are not delivered again %s', (_, deliveredAgoMs, canRepeat) => {
		const { followed, ended } = read(deliveredAgoMs, canRepeat) ?? {};
		expect(followed).toEqual({ running });
		expect(Object.keys(ended ?? {})).toEqual(['old', 'young']);
	});
});
