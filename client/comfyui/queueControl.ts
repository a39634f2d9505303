import type { ServiceApi } from '../requests/serviceApi';
import { isRecord, type JsonRecord, listOf, numberOr, requireRecord, textOr } from '../json/decode';
import { ShapeError } from '../errors/errors';
import { outcomeOf } from '../async/outcome';
import type { Engine } from '../generated/engine';
import type { V1 } from '../generated/v1';
import type { ApiGraph } from '../ports/job';
import { readMadeBy } from '../ports/madeBy';
import type { CallOptions, JobQueue, QueueEntry } from '../ports/jobService';
import type { HttpResponse } from '../transport/response';
import { hasNoEffect } from '../contact/failures';
import type { NodeReplacements, ServerControl } from '../ports/serverControl';
import { decodeReplacements } from './nodeReplacements';
import { isMissingRoute } from './rejections';
import { timestampOf } from './timestamps';

/** The queue and the node definitions of a v1 account or of an engine. Both have the same routes. */
export class QueueControl implements ServerControl {
	constructor(protected readonly api: ServiceApi) {}

	async queue(options: CallOptions = {}): Promise<JobQueue> {
		return await this.api.read(this.api.url('/queue'), decodeQueue, options);
	}

	/** Safe to repeat, because a job that was removed stays removed. */
	async deleteFromQueue(jobIds: string[], options?: CallOptions): Promise<void> {
		await this.api.post('/queue', { delete: jobIds }, options, { check: rejectPage });
	}

	async interrupt(options?: CallOptions): Promise<void> {
		await this.postInterrupt(undefined, options);
	}

	/** Repeated only if the service certainly did not receive the request, because the next job may run by then. */
	protected async postInterrupt(body: object | undefined, options?: CallOptions): Promise<void> {
		await this.api.post('/interrupt', body, options, { isWorthRetrying: hasNoEffect });
	}

	async nodeDefinitions(options: CallOptions = {}): Promise<Record<string, JsonRecord>> {
		return await this.readDefinitions('/object_info', options);
	}

	async nodeReplacements(options: CallOptions = {}): Promise<NodeReplacements> {
		const features = await outcomeOf(
			this.api.read(this.api.url('/features'), (json) => requireRecord<Engine['Features']>(json, 'features'), options),
		);
		if (!features.ok && !isMissingRoute(features.error)) throw features.error;
		if (!features.ok || features.value.node_replacements !== true) return {};
		return await this.api.read(this.api.url('/node_replacements'), decodeReplacements, options);
	}

	protected async readDefinitions(path: string, options: CallOptions): Promise<Record<string, JsonRecord>> {
		return await this.api.read(this.api.url(path), decodeDefinitions, options);
	}
}

/** A web page comes from a gateway, so nothing was deleted. @throws UnreadableAnswerError also for half an answer. */
async function rejectPage(response: HttpResponse): Promise<void> {
	const text = await response.text();
	if (text !== '') response.parseJson(text, { orElse: {} });
}

const decodeDefinitions = (value: unknown): Record<string, JsonRecord> =>
	Object.fromEntries(
		Object.entries(requireRecord(value, 'definitions')).filter((entry): entry is [string, JsonRecord] => isRecord(entry[1])),
	);

/** @throws ShapeError if the answer is not a queue. */
export function decodeQueue(value: unknown): JobQueue {
	const { queue_running: running, queue_pending: pending } = requireRecord<V1['Queue']>(value, 'queue');
	if (!Array.isArray(running)) throw new ShapeError('queue has no list of running jobs');
	return { running: decodeEntries(running), pending: decodeEntries(pending).sort(byNumber) };
}

/** Drops entries without a job id. */
function decodeEntries(entries: unknown): QueueEntry[] {
	return listOf(entries)
		.map(decodeQueueEntry)
		.filter((entry) => entry !== undefined);
}

/** Decodes `[number, job id, graph, {create_time}, ids of the output nodes, …]`. Versions of ComfyUI differ after the graph. */
function decodeQueueEntry(entry: unknown): QueueEntry | undefined {
	if (!Array.isArray(entry)) return undefined;
	const [number, id, workflow, ...rest] = entry as unknown[];
	const jobId = textOr(id, undefined);
	if (jobId === undefined) return undefined;
	const outputs = rest.find(Array.isArray) as unknown[] | undefined;
	const times = rest.filter(isRecord).map(({ create_time }) => timestampOf(create_time));
	return {
		job_id: jobId,
		number: numberOr(number, null),
		created_at: times.find((time) => time !== null) ?? null,
		workflow: isRecord(workflow) ? (workflow as ApiGraph) : null,
		output_node_ids: (outputs ?? []).filter((node) => typeof node === 'string'),
		...readMadeBy(rest.find(isRecord)),
	};
}

/** Entries without a number keep their position. */
const byNumber = (one: QueueEntry, other: QueueEntry): number =>
	one.number !== null && other.number !== null ? one.number - other.number : 0;
