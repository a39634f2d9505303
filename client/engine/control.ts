import { QueueControl } from '../comfyui/queueControl';
import { type JsonRecord, requireRecord } from '../json/decode';
import { isPathSegment, pathSegment } from '../text/identifiers';
import type { CallOptions } from '../ports/jobService';
import { outcomeOf } from '../async/outcome';
import { Slots } from '../async/slots';

/**
 * Above this number, one response with all definitions is the smaller load. It has some megabytes, and an engine builds
 * it for each request.
 */
const MAX_SINGLE_CLASSES = 40;
const MAX_CONCURRENT_READS = 6;

/** An engine has the queue routes of v1, and two more. */
export class EngineControl extends QueueControl {
	/** Stops one prompt if it is running. Older engines ignore the id and stop the running prompt. */
	async interruptPrompt(jobId: string, options: CallOptions = {}): Promise<void> {
		await this.postInterrupt({ prompt_id: jobId }, options);
	}

	/** @returns whether there was a job to cancel; undefined if the engine is too old for this route. */
	async cancelByRoute(jobId: string, { signal }: CallOptions = {}): Promise<boolean | undefined> {
		const url = this.api.url(`/jobs/${pathSegment(jobId, 'engine')}/cancel`);
		const result = await outcomeOf(this.api.call({ method: 'POST', url, signal }, (json) => requireRecord(json, 'answer')));
		return result.ok ? result.value.cancelled !== false : undefined;
	}

	override async nodeDefinitions({ classes = [], ...options }: CallOptions & { classes?: readonly string[] } = {}): Promise<
		Record<string, JsonRecord>
	> {
		if (classes.length === 0 || classes.length > MAX_SINGLE_CLASSES) return await super.nodeDefinitions(options);
		const slots = new Slots(MAX_CONCURRENT_READS);
		const readClass = async (name: string) => await this.readDefinitions(`/object_info/${encodeURIComponent(name)}`, options);
		const definitions = await Promise.all(
			classes.filter(isPathSegment).map(async (name) => await slots.run(async () => await readClass(name), options.signal)),
		);
		return Object.assign({}, ...definitions) as Record<string, JsonRecord>;
	}
}
