import type { EventType, EventSourceKind, EventSelection, DeliveryMode } from '../../client';
import type { CredentialName } from '../shared/credentials';
import { ItemFault } from '../shared/itemFault';
import { commaList, enteredNumber, enteredText, type ReadParameter } from '../shared/parameters';

export interface TriggerSettings {
	authentication: CredentialName;
	source: EventSourceKind;
	/** Only these jobs; empty for all. */
	jobIds: string[];
	/** Percent steps, 1 to 99. */
	milestones: number[];
	selection: EventSelection;
	leastMsBetween: number;
	includeRawEvent: boolean;
	/** Undefined where previews are not asked for. */
	previewField: string | undefined;
}

interface Filters {
	eventKinds?: EventType[];
	jobIds?: string;
	nodeIds?: string;
}

interface Options {
	alsoOutputs?: boolean;
	binaryPropertyName?: string;
	includePreviews?: boolean;
	includeRawEvent?: boolean;
	leastSecondsBetween?: number;
}

const DELIVERIES: readonly DeliveryMode[] = ['milestones', 'eachOutput', 'onlyWhenFinished', 'everyEvent'];

/** An expression, or whoever writes workflows by a program, may say anything. */
function deliveryOf(said: unknown): DeliveryMode {
	const delivery = DELIVERIES.find((one) => one === said);
	if (delivery !== undefined) return delivery;
	throw new ItemFault(`Trigger On knows no "${String(said)}"`, `Choose one of its entries: ${DELIVERIES.join(', ')}.`);
}

function milestonesOf(text: unknown): number[] {
	const steps = commaList(enteredText(text, 'Milestones (Percent)').replaceAll('%', '')).map(Number);
	if (steps.length > 0 && steps.every((step) => step > 0 && step < 100)) return [...new Set(steps)].sort((one, other) => one - other);
	throw new ItemFault(
		'Milestones (Percent) cannot be used',
		'Enter numbers from 1 to 99, separated by commas, e.g. 25, 50, 75. The end of a job is told without being named.',
	);
}

function jobIdsOf(read: ReadParameter, source: EventSourceKind, filters: Filters): string[] {
	if (source !== 'jobs') return commaList(String(filters.jobIds ?? ''));
	return read<string>('jobsToWatch', 'all') === 'listed' ? commaList(enteredText(read<unknown>('jobIds', ''), 'Job IDs')) : [];
}

/** @throws ItemFault for what has to be mended in the node before anything can be listened to. */
export function settings(read: ReadParameter): TriggerSettings {
	const source = read<EventSourceKind>('source');
	const delivery = deliveryOf(read<unknown>('deliver'));
	const filters = read<Filters>('filters', {});
	const options = read<Options>('options', {});
	const jobIds = jobIdsOf(read, source, filters);
	const { leastSecondsBetween = 1, binaryPropertyName = 'data' } = options;
	return {
		authentication: read<CredentialName>('authentication'),
		source,
		jobIds,
		milestones: delivery === 'milestones' ? milestonesOf(read<unknown>('milestones', '')) : [],
		selection: {
			delivery,
			alsoOutputs: delivery === 'milestones' && options.alsoOutputs === true,
			kinds: filters.eventKinds ?? [],
			jobIds,
			nodeIds: commaList(String(filters.nodeIds ?? '')),
		},
		leastMsBetween: enteredNumber(leastSecondsBetween, 'Least Time Between Events (Seconds)', 0) * 1000,
		includeRawEvent: options.includeRawEvent === true,
		previewField: options.includePreviews === true ? enteredText(binaryPropertyName, 'Put Preview In Field') : undefined,
	};
}
