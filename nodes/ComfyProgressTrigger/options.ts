/** The options of the trigger. */
import { numberOption, switchOption, textOption } from '../shared/options';

export const onEveryEvent = { show: { '/deliver': ['everyEvent'] } };

export const triggerOptions = {
	/** In addition to milestones. */
	alsoOutputs: switchOption(
		{
			displayName: 'Also Each Output',
			name: 'alsoOutputs',
			default: true,
			description: 'Whether each output file of a job also starts an execution. Without this option, it does not.',
			displayOptions: { show: { '/deliver': ['milestones'] } },
		},
		false,
	),
	includesPreviews: switchOption(
		{
			displayName: 'Include Previews',
			name: 'includePreviews',
			default: true,
			description: 'Whether to add preview images as files if they are not too large. Without this option, items have no previews.',
			displayOptions: onEveryEvent,
		},
		false,
	),
	includeRawEvent: switchOption(
		{
			displayName: 'Include Raw Event',
			name: 'includeRawEvent',
			default: true,
			description:
				'Whether to add the unchanged event of the service in the field "event". Without this option, items do not have this field.',
		},
		false,
	),
	leastMsBetween: numberOption(
		{
			displayName: 'Least Time Between Events (Seconds)',
			name: 'leastSecondsBetween',
			typeOptions: { minValue: 0 },
			default: 1,
			description:
				'Minimum time between frequent events of one job, such as progress and previews. The trigger reports the newest event each time.',
			displayOptions: onEveryEvent,
		},
		{ unit: 1_000 },
	),
};

export const previewField = textOption({
	displayName: 'Put Preview In Field',
	name: 'binaryPropertyName',
	default: 'data',
	hint: 'The name of the output binary field to put a preview in',
	displayOptions: onEveryEvent,
});
