import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';

import { clock, type DispatcherState, type EventDispatcher } from '../../client';

const FIELD = 'comfyProgress';
const DAY_MS = 24 * 60 * 60 * 1000;
/** The service's clock may differ from ours. A job that was delivered before is recognized by its id. */
const CLOCK_SKEW_MS = 60_000;
const REPEATABLE_SAVE_MS = 30_000;

interface StoredMemory extends DispatcherState {
	/** The source that it belongs to. Another source has other jobs. */
	source: string;
	/** When the trigger first listened to the source (epoch milliseconds). */
	listeningSince: number;
	/** When an event was last delivered (epoch milliseconds). */
	deliveredAt: number;
}

/**
 * What a trigger remembers across restarts of n8n, in the node's static data. n8n saves these data only together with an
 * execution that the trigger starts, so they are written just before each start.
 */
export class TriggerMemory {
	private readonly staticData: IDataObject;
	private readonly listeningSince: number;
	/** Jobs that ended earlier are not reported: before the last delivery, before the trigger first listened, or a day ago. */
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

	private get stored(): StoredMemory | undefined {
		const stored = this.staticData[FIELD] as unknown as StoredMemory | undefined;
		return stored?.source === this.source ? stored : undefined;
	}

	read(): DispatcherState | undefined {
		return this.stored;
	}

	/** @param isOnce whether the event must not be delivered again after a restart. Other events are saved less often. */
	save(dispatcher: EventDispatcher, isOnce: boolean): void {
		if (!isOnce && clock.wallNow() - (this.stored?.deliveredAt ?? 0) < REPEATABLE_SAVE_MS) return;
		const { source, listeningSince } = this;
		const { followed, ended } = dispatcher.state();
		const recentlyEnded = Object.entries(ended).filter(([, endedAt]) => endedAt > clock.wallNow() - 2 * DAY_MS);
		const stored: StoredMemory = {
			source,
			listeningSince,
			deliveredAt: clock.wallNow(),
			followed,
			ended: Object.fromEntries(recentlyEnded),
		};
		this.staticData[FIELD] = stored as unknown as IDataObject;
	}
}
