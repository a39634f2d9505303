import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';

import { clock, type DispatcherState, type EventDispatcher } from '../../client';

const FIELD = 'comfyProgress';
const DAY_MS = 24 * 60 * 60 * 1000;
/** The service's clock may differ from ours; what was told already is known by its id. */
const CLOCK_SKEW_MS = 60_000;
const UNIMPORTANT_EVERY_MS = 30_000;

interface Stored extends DispatcherState {
	/** What it was made with: another source knows other jobs. */
	source: string;
	/** When it was first listened to (epoch milliseconds). */
	listeningSince: number;
	/** When anything was last delivered. */
	deliveredAt: number;
}

/**
 * What a trigger knows across restarts of n8n, in the node's static data. n8n saves that only together with an
 * execution that the trigger starts, so it is written just before each.
 */
export class TriggerMemory {
	private readonly staticData: IDataObject;
	private readonly listeningSince: number;
	/** Jobs that ended before are no news: before the last delivery, a day ago, or before anybody listened. */
	readonly since: number;

	constructor(
		trigger: ITriggerFunctions,
		private readonly source: string,
		now = clock.wallNow(),
	) {
		this.staticData = trigger.getWorkflowStaticData('node');
		const { listeningSince = now, deliveredAt = now } = this.stored ?? {};
		this.listeningSince = listeningSince;
		this.since = Math.max(listeningSince, deliveredAt - CLOCK_SKEW_MS, now - DAY_MS);
	}

	private get stored(): Stored | undefined {
		const stored = this.staticData[FIELD] as unknown as Stored | undefined;
		return stored?.source === this.source ? stored : undefined;
	}

	dispatcherState(): DispatcherState | undefined {
		return this.stored;
	}

	/** @param isVital false for what may be told again after a restart: it is written now and then only. */
	save(dispatcher: EventDispatcher, isVital: boolean): void {
		if (!isVital && clock.wallNow() - (this.stored?.deliveredAt ?? 0) < UNIMPORTANT_EVERY_MS) return;
		const { source, listeningSince } = this;
		const { followed, ended } = dispatcher.state();
		const recently = Object.entries(ended).filter(([, endedAt]) => endedAt > clock.wallNow() - 2 * DAY_MS);
		const stored: Stored = { source, listeningSince, deliveredAt: clock.wallNow(), followed, ended: Object.fromEntries(recently) };
		this.staticData[FIELD] = stored as unknown as IDataObject;
	}
}
