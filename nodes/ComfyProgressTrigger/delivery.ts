import type { ITriggerFunctions } from 'n8n-workflow';

import type { NewsDesk } from '../../client';
import { isSelected, type Job, type JobEvent, type News, type NewsKind, Throttle } from '../../client';
import { deriveKey } from '../shared/submission/keys';
import type { ResultMask } from '../shared/withoutSecrets';
import { startExecution } from './host';
import type { TriggerMemory } from './memory';
import { newsItem } from './newsItem';
import type { TriggerSettings } from './settings';

/** What must not be told twice; n8n keeps one execution for each key. */
const ONCE: ReadonlySet<NewsKind> = new Set(['finished', 'milestone', 'output']);

/** From what a source tells to n8n's executions: chosen, throttled, in order, and remembered. */
export class Delivery {
	private readonly throttle: Throttle;
	private inOrder: Promise<void> = Promise.resolve();
	private isClosed = false;

	constructor(
		private readonly trigger: ITriggerFunctions,
		private readonly settings: TriggerSettings,
		readonly desk: NewsDesk,
		private readonly memory: TriggerMemory,
		private readonly withoutSecrets: ResultMask,
	) {
		this.throttle = new Throttle(settings.leastMsBetween, (news) => this.deliver(news));
	}

	onEvent(event: JobEvent, jobId: string | null, raw: unknown): void {
		this.safely(() => this.take(this.desk.take(event, jobId, raw)));
	}

	onJob(job: Job): void {
		this.safely(() => this.take(this.desk.read(job)));
	}

	/** What has not been delivered yet is told after the next start, if it still matters. */
	close(): void {
		this.isClosed = true;
		this.throttle.close();
	}

	/** Whoever listens goes on: what is thrown into an event of a socket ends all of n8n. */
	private safely(work: () => void): void {
		try {
			work();
		} catch (error) {
			this.complain(error);
		}
	}

	private complain(error: unknown): void {
		this.trigger.logger.error('Comfy Progress Trigger could not deliver an event', { reason: String(error) });
	}

	private take(all: News[]): void {
		const { selection } = this.settings;
		for (const news of all) {
			if (!isSelected(news, selection)) continue;
			if (selection.delivery === 'everyEvent') this.throttle.take(news);
			else this.deliver(news);
		}
	}

	/** Making an item of a preview takes a moment, and what came later must not overtake it. */
	private deliver(news: News): void {
		this.inOrder = this.inOrder.then(async () => {
			if (this.isClosed) return;
			try {
				const item = await newsItem(this.trigger, this.withoutSecrets(news), this.settings);
				this.memory.save(this.desk, ONCE.has(news.kind));
				startExecution(this.trigger, item, ONCE.has(news.kind) ? this.keyOf(news) : undefined);
			} catch (error) {
				this.complain(error);
			}
		});
	}

	private keyOf({ kind, job_id, milestone, outputs: [output] }: News): string {
		const what = kind === 'output' ? [output?.node_id ?? '', output?.name ?? ''] : [milestone ?? 0];
		return deriveKey([this.trigger.getWorkflow().id ?? '', this.trigger.getNode().id, job_id ?? '', kind, ...what]);
	}
}
