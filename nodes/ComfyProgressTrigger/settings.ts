import type { EventType, EventSourceKind, EventSelection, DeliveryMode } from '../../client';
import type { CredentialName } from '../shared/credentials';
import { ItemFault, requireChoice } from '../shared/itemFault';
import { readOption, readOptions } from '../shared/options';
import { commaList, enteredText, type ReadParameter } from '../shared/parameters';
import { previewField, triggerOptions } from './options';
import { messages } from '../shared/messages/catalogue';

export interface TriggerSettings {
	authentication: CredentialName;
	source: EventSourceKind;
	/** The jobs to listen for. Empty for all. */
	jobIds: string[];
	/** Percent steps, 1 to 99. */
	milestones: number[];
	selection: EventSelection;
	leastMsBetween: number;
	includeRawEvent: boolean;
	/** Undefined if previews are not wanted. */
	previewField: string | undefined;
}

interface TriggerFilters {
	eventKinds?: EventType[];
	jobIds?: string;
	nodeIds?: string;
}

const DELIVERIES: readonly DeliveryMode[] = ['milestones', 'eachOutput', 'onlyWhenFinished', 'everyEvent'];

function parseMilestones(text: unknown): number[] {
	const steps = commaList(enteredText(text, 'Milestones (Percent)').replaceAll('%', '')).map(Number);
	if (steps.length > 0 && steps.every((step) => step > 0 && step < 100)) return [...new Set(steps)].sort((one, other) => one - other);
	throw new ItemFault(messages.MILESTONES_NOT_VALID());
}

function readJobIds(read: ReadParameter, source: EventSourceKind, filters: TriggerFilters): string[] {
	if (source !== 'jobs') return commaList(String(filters.jobIds ?? ''));
	return read<string>('jobsToWatch', 'all') === 'listed' ? commaList(enteredText(read<unknown>('jobIds', ''), 'Job IDs')) : [];
}

/** @throws ItemFault if a parameter must be corrected before the trigger can listen. */
export function settings(read: ReadParameter): TriggerSettings {
	const source = read<EventSourceKind>('source');
	const delivery = requireChoice(read<unknown>('deliver'), DELIVERIES, 'Trigger On');
	const filters = read<TriggerFilters>('filters', {});
	const options = readOptions(triggerOptions, read);
	const jobIds = readJobIds(read, source, filters);
	return {
		authentication: read<CredentialName>('authentication'),
		source,
		jobIds,
		milestones: delivery === 'milestones' ? parseMilestones(read<unknown>('milestones', '')) : [],
		selection: {
			delivery,
			alsoOutputs: delivery === 'milestones' && options.alsoOutputs,
			kinds: filters.eventKinds ?? [],
			jobIds,
			nodeIds: commaList(String(filters.nodeIds ?? '')),
		},
		leastMsBetween: options.leastMsBetween,
		includeRawEvent: options.includeRawEvent,
		previewField: options.includesPreviews ? readOption(previewField, read) : undefined,
	};
}
