import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';

import { clock, type DispatcherState, type EventDispatcher, type ReportedState } from '../../client';

const FIELD = 'comfyProgress';
const DAY_MS = 24 * 60 * 60 * 1000;
/** The service's clock may differ from ours. A job that was delivered before is recognized by its ID. */
const CLOCK_SKEW_MS = 60_000;
const REPEATABLE_SAVE_MS = 30_000;
/** n8n stores an execution some time after it stored the memory of its trigger. A crash in between loses the execution. */
const UNCONFIRMED_MS = 10_000;
/** Later, ends are not delivered again. By default, n8n deletes an execution that it does not save, with its key, after an hour. */
const REPEATED_WITHIN_MS = 30 * 60_000;

const NOTHING_REPORTED: ReportedState = { milestone: 0, outputs: [] };

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
 * execution that the trigger starts, so they are written just before each start. After a restart, the ends of the last seconds
 * are delivered again, because n8n may have crashed before it stored their executions.
 */
export class TriggerMemory {
	private readonly staticData: IDataObject;
	private readonly listeningSince: number;
	/** Jobs that ended earlier are not reported: before the last delivery, before the trigger first listened, or a day ago. */
	readonly since: number;

	constructor(
		trigger: ITriggerFunctions,
		private readonly source: string,
		private readonly now = clock.wallNow(),
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

	/** @param canRepeat whether n8n ignores an event that has started an execution already. */
	read(canRepeat: boolean): DispatcherState | undefined {
		const { stored, now } = this;
		if (stored === undefined || !canRepeat || now - stored.deliveredAt > REPEATED_WITHIN_MS) return stored;
		const isUnconfirmed = (endedAt: number): boolean => endedAt >= stored.deliveredAt - UNCONFIRMED_MS;
		const ended = Object.entries(stored.ended);
		const unconfirmed = ended.filter(([, endedAt]) => isUnconfirmed(endedAt)).map(([jobId]) => [jobId, NOTHING_REPORTED] as const);
		return {
			followed: { ...stored.followed, ...Object.fromEntries(unconfirmed) },
			ended: Object.fromEntries(ended.filter(([, endedAt]) => !isUnconfirmed(endedAt))),
		};
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
