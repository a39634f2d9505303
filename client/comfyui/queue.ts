import { isRecord, listOf, numberOr, requireRecord, textOr } from '../decode';
import { ShapeError } from '../errors';
import type { V1 } from '../generated/v1';
import type { ApiGraph } from '../job';
import { readMadeBy } from '../madeBy';
import type { JobQueue, QueueEntry } from '../ports';
import { momentOf } from './moments';

/** @throws ShapeError when this is no queue. */
export function decodeQueue(value: unknown): JobQueue {
	const { queue_running: running, queue_pending: pending } = requireRecord<V1['Queue']>(value, 'queue');
	if (!Array.isArray(running)) throw new ShapeError('queue holds no list of running jobs');
	return { running: entriesOf(running), pending: entriesOf(pending).sort(byNumber) };
}

/** What names no job is no entry. */
function entriesOf(entries: unknown): QueueEntry[] {
	return listOf(entries)
		.map(entryOf)
		.filter((entry) => entry !== undefined);
}

/** Number, job id, graph, ids of the output nodes, and an object with `create_time`: of any length, more may follow. */
function entryOf(entry: unknown): QueueEntry | undefined {
	if (!Array.isArray(entry)) return undefined;
	const [number, id, workflow, ...rest] = entry as unknown[];
	const jobId = textOr(id, undefined);
	if (jobId === undefined) return undefined;
	const outputs = rest.find(Array.isArray) as unknown[] | undefined;
	const times = rest.filter(isRecord).map(({ create_time }) => momentOf(create_time));
	return {
		job_id: jobId,
		number: numberOr(number, null),
		created_at: times.find((time) => time !== null) ?? null,
		workflow: isRecord(workflow) ? (workflow as ApiGraph) : null,
		output_node_ids: (outputs ?? []).filter((node) => typeof node === 'string'),
		...readMadeBy(rest.find(isRecord)),
	};
}

/** Those without a number keep their place. */
const byNumber = (one: QueueEntry, other: QueueEntry): number =>
	one.number !== null && other.number !== null ? one.number - other.number : 0;
