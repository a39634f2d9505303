import type { IDataObject, INodeExecutionData, ITriggerFunctions } from 'n8n-workflow';

import {
	type EventDispatcher,
	type EventType,
	extensionOf,
	isSelected,
	type Job,
	type JobEvent,
	Throttle,
	type TriggerEvent,
} from '../../client';
import { deriveKey } from '../shared/submission/keys';
import type { ResultMask } from '../shared/withoutSecrets';
import type { TriggerMemory } from './memory';
import type { TriggerSettings } from './settings';

/** Kinds of events that must start one execution only. */
const DELIVERED_ONCE: ReadonlySet<EventType> = new Set(['finished', 'milestone', 'output']);

/** n8n never deletes files that a trigger makes, so larger previews are left out. */
const LARGEST_PREVIEW_BYTES = 512 * 1024;

/** The types of n8n 1 do not know the last parameter. n8n 2 starts only one execution for each key. */
interface EmitWithKey {
	emit(items: INodeExecutionData[][], responsePromise: undefined, donePromise: undefined, deduplicationKey: string | undefined): void;
}

/** How many parameters `emit` has in an n8n that takes a key. */
const PARAMETERS_WITH_KEY = 4;

/** Whether this n8n starts only one execution for each key. */
export const startsOncePerKey = ({ emit }: ITriggerFunctions): boolean => emit.length === PARAMETERS_WITH_KEY;

/** The fields are the same for events of all sources. */
const toJson = ({ preview, event, ...triggerEvent }: TriggerEvent, { includeRawEvent }: TriggerSettings): IDataObject => ({
	...(triggerEvent as unknown as IDataObject),
	...(preview !== undefined && { preview_content_type: preview.content_type, preview_bytes: preview.data.byteLength }),
	...(includeRawEvent && { event: event as IDataObject }),
});

/** Returns an event as an item. A wanted and small preview becomes its file. */
async function toItem(trigger: ITriggerFunctions, triggerEvent: TriggerEvent, settings: TriggerSettings): Promise<INodeExecutionData> {
	const json = toJson(triggerEvent, settings);
	const { preview } = triggerEvent;
	const { previewField } = settings;
	if (preview === undefined || previewField === undefined || preview.data.byteLength > LARGEST_PREVIEW_BYTES) return { json };
	const name = `preview-${triggerEvent.node_id ?? 'node'}.${extensionOf(preview.content_type) ?? 'bin'}`;
	const binary = await trigger.helpers.prepareBinaryData(Buffer.from(preview.data), name, preview.content_type);
	return { json: { ...json, binary_field: previewField }, binary: { [previewField]: binary } };
}

/** Starts executions from the events of a source: it selects and throttles them, keeps their order and remembers them. */
export class Delivery {
	private readonly throttle: Throttle;
	private lastDelivery: Promise<void> = Promise.resolve();
	private isClosed = false;

	constructor(
		private readonly trigger: ITriggerFunctions,
		private readonly settings: TriggerSettings,
		private readonly dispatcher: EventDispatcher,
		private readonly memory: TriggerMemory,
		private readonly maskSecrets: ResultMask,
	) {
		this.throttle = new Throttle(settings.leastMsBetween, (triggerEvent) => this.deliver(triggerEvent));
	}

	onEvent(event: JobEvent, jobId: string | null, raw: unknown): void {
		this.catchErrors(() => this.selectAndDeliver(this.dispatcher.handleEvent(event, jobId, raw)));
	}

	onJob(job: Job): void {
		this.catchErrors(() => this.selectAndDeliver(this.dispatcher.handleJob(job)));
	}

	/** Stops. An event that has not been delivered is delivered after the next start, if it still matters. */
	close(): void {
		this.isClosed = true;
		this.throttle.close();
	}

	/** An error that is thrown in an event handler of a socket would end the process of n8n. */
	private catchErrors(work: () => void): void {
		try {
			work();
		} catch (error) {
			this.logError(error);
		}
	}

	private logError(error: unknown): void {
		this.trigger.logger.error('Comfy Progress Trigger could not deliver an event', { reason: String(error) });
	}

	private selectAndDeliver(events: TriggerEvent[]): void {
		const { selection } = this.settings;
		for (const triggerEvent of events) {
			if (!isSelected(triggerEvent, selection)) continue;
			if (selection.delivery === 'everyEvent') this.throttle.add(triggerEvent);
			else this.deliver(triggerEvent);
		}
	}

	/** Waits for the delivery before, because an item with a preview takes longer than the next event. */
	private deliver(triggerEvent: TriggerEvent): void {
		this.lastDelivery = this.lastDelivery.then(async () => {
			if (this.isClosed) return;
			try {
				const item = await toItem(this.trigger, this.maskSecrets(triggerEvent), this.settings);
				const isOnce = DELIVERED_ONCE.has(triggerEvent.kind);
				this.memory.save(this.dispatcher, isOnce);
				(this.trigger as unknown as EmitWithKey).emit(
					[[item]],
					undefined,
					undefined,
					isOnce ? this.deduplicationKeyOf(triggerEvent) : undefined,
				);
			} catch (error) {
				this.logError(error);
			}
		});
	}

	private deduplicationKeyOf({ kind, job_id, milestone, outputs: [output] }: TriggerEvent): string {
		const what = kind === 'output' ? [output?.node_id ?? '', output?.name ?? ''] : [milestone ?? 0];
		return deriveKey([this.trigger.getWorkflow().id ?? '', this.trigger.getNode().id, job_id ?? '', kind, ...what]);
	}
}
