import { jsonBody } from '../api';
import { type JsonRecord, requireRecord } from '../decode';
import { isPathSegment, pathSegment } from '../pathSegment';
import type { CallOptions } from '../ports';
import { outcomeOf } from '../transport/outcome';
import { Slots } from '../transport/slots';
import { isUnheard } from '../transport/retry';
import { QueueControl } from '../comfyui/queueControl';

/** Beyond this many, all definitions in one answer are the smaller load: it has some megabytes, and an engine makes it anew each time. */
const MOST_SINGLE_CLASSES = 40;
const MOST_AT_ONCE = 6;

/** An engine has v1's routes for its queue, and two more. */
export class EngineControl extends QueueControl {
	/** Stops one prompt if it is the one that runs. Older engines take no notice of the id and stop whatever runs. */
	async interruptPrompt(jobId: string, { signal }: CallOptions = {}): Promise<void> {
		const request = {
			method: 'POST' as const,
			url: this.api.url('/interrupt'),
			...jsonBody({ prompt_id: jobId }),
			signal,
			totalMs: this.api.limits.requestMs,
		};
		const response = await this.api.repeat(() => this.api.send(request), { signal }, { isWorthRetrying: isUnheard });
		await response.discard();
	}

	/** @returns whether there was something to cancel; undefined where the engine is too old for this route. */
	async cancelByRoute(jobId: string, { signal }: CallOptions = {}): Promise<boolean | undefined> {
		const url = this.api.url(`/jobs/${pathSegment(jobId, 'engine')}/cancel`);
		const asked = await outcomeOf(this.api.call({ method: 'POST', url, signal }, (json) => requireRecord(json, 'answer')));
		return asked.ok ? asked.value.cancelled !== false : undefined;
	}

	override async nodeDefinitions({ classes = [], ...options }: CallOptions & { classes?: readonly string[] } = {}): Promise<
		Record<string, JsonRecord>
	> {
		if (classes.length === 0 || classes.length > MOST_SINGLE_CLASSES) return await super.nodeDefinitions(options);
		const slots = new Slots(MOST_AT_ONCE);
		const one = async (name: string) => await this.readDefinitions(`/object_info/${encodeURIComponent(name)}`, options);
		const each = await Promise.all(
			classes.filter(isPathSegment).map(async (name) => await slots.run(async () => await one(name), options.signal)),
		);
		return Object.assign({}, ...each) as Record<string, JsonRecord>;
	}
}
