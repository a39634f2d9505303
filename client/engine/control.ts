import { QueueControl } from '../comfyui/queueControl';
import { type JsonRecord, requireRecord } from '../json/decode';
import { isPathSegment, pathSegment } from '../text/identifiers';
import type { CallOptions } from '../ports/jobService';
import type { Engine } from '../generated/engine';
import { Slots } from '../async/slots';
import type { EngineApi } from './api';
import type { OptionalRoutes } from './optionalRoutes';

/**
 * Above this number, one response with all definitions is the smaller load. It has some megabytes, and an engine builds
 * it for each request.
 */
const MAX_SINGLE_CLASSES = 40;
const MAX_CONCURRENT_READS = 6;

/** An engine has the queue routes of v1, and two more. */
export class EngineControl extends QueueControl {
	constructor(
		api: EngineApi,
		private readonly routes: OptionalRoutes,
	) {
		super(api);
	}

	/** Stops one prompt if it is running. Older engines ignore the id and stop the running prompt. */
	async interruptPrompt(jobId: string, options: CallOptions = {}): Promise<void> {
		await this.postInterrupt({ prompt_id: jobId }, options);
	}

	/** @returns whether the engine had the job and it was not finished; undefined if the engine is too old for this route. */
	async cancelJob(jobId: string, options: CallOptions = {}): Promise<boolean | undefined> {
		const path = `/jobs/${pathSegment(jobId, 'engine')}/cancel`;
		return await this.routes.call('cancel', { path, body: null }, decodeCancel, options);
	}

	/**
	 * Cancels several jobs with one request.
	 * @returns whether the engine had at least one of them; undefined if the engine is too old for this route.
	 * @throws ApiError 400 if an id is not one of ComfyUI. Then no job is canceled.
	 */
	async cancelJobs(jobIds: readonly string[], options: CallOptions = {}): Promise<boolean | undefined> {
		return await this.routes.call('cancel', { path: '/jobs/cancel', body: { job_ids: jobIds } }, decodeCancel, options);
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

const decodeCancel = (json: unknown): boolean => requireRecord<Engine['CancelAnswer']>(json, 'answer').cancelled !== false;
