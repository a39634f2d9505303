import type { InterfaceName, JobError, JobOutput, JobStatus } from '../ports/job';

/** The types of a trigger event. `milestone` and `finished` are our own, services send the others. */
export const EVENT_TYPES = [
	'cached',
	'finished',
	'log',
	'milestone',
	'node',
	'notification',
	'other',
	'output',
	'preview',
	'progress',
	'queue',
	'status',
	'text',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** An event as the trigger passes it on, with the state of its job. All interfaces have the same fields. */
export interface TriggerEvent {
	kind: EventType;
	interface: InterfaceName;
	/** Null for an event of the account. */
	job_id: string | null;
	/** The address of the server, if it is one of a pool and the job was read. */
	server?: string;
	status: JobStatus | null;
	service_status: string | null;
	node_id: string | null;
	/** Progress of the whole job, 0 to 100; null while it is unknown. Never falls. */
	percent: number | null;
	/** The milestone that the job reached, in percent; only with kind `milestone`. */
	milestone: number | null;
	/** Step of the running node. */
	step: number | null;
	steps: number | null;
	/** `output`: this output; `finished`: all outputs. */
	outputs: JobOutput[];
	job_error: JobError | null;
	/** The text of a node or of the service. */
	message: string | null;
	queue_remaining: number | null;
	preview?: { content_type: string; data: Uint8Array };
	/** The message or record of the service, without bytes. */
	event: unknown;
}

export type DeliveryMode = 'milestones' | 'eachOutput' | 'onlyWhenFinished' | 'everyEvent';

/** Which events a user wants. An empty list of types or ids lets all of them pass. */
export interface EventSelection {
	delivery: DeliveryMode;
	/** With `milestones`: each output too. */
	alsoOutputs: boolean;
	/** With `everyEvent`: only these types. */
	kinds: readonly EventType[];
	jobIds: readonly string[];
	/** Only events of these nodes, and events without a node. */
	nodeIds: readonly string[];
}

const TYPES_OF_MODE: Record<Exclude<DeliveryMode, 'everyEvent'>, readonly EventType[]> = {
	milestones: ['milestone', 'finished'],
	eachOutput: ['output', 'finished'],
	onlyWhenFinished: ['finished'],
};

/** Returns whether a user wants the event. An event of the account has no job, so a choice of jobs excludes it. */
export const isSelected = (event: TriggerEvent, selection: EventSelection): boolean =>
	hasSelectedType(event, selection) &&
	(event.job_id !== null || selection.jobIds.length === 0) &&
	allowsId(selection.jobIds, event.job_id) &&
	allowsId(selection.nodeIds, event.node_id);

/** Without a choice of types, `everyEvent` leaves out milestones, because the progress events contain the same. */
const hasSelectedType = ({ kind }: TriggerEvent, { delivery, alsoOutputs, kinds }: EventSelection): boolean => {
	if (delivery === 'everyEvent') return kinds.length === 0 ? kind !== 'milestone' : kinds.includes(kind);
	return TYPES_OF_MODE[delivery].includes(kind) || (alsoOutputs && kind === 'output');
};

/** An empty list allows every id. */
export const allowsId = (selected: readonly string[], id: string | null): boolean =>
	selected.length === 0 || id === null || selected.includes(id);
