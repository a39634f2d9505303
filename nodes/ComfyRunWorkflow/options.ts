/** The options of Comfy Run Workflow alone. */
import { fromList } from '../shared/descriptions/common';
import { binaryField, outputMode } from '../shared/descriptions/jobFields';
import { choiceOption, option, switchOption } from '../shared/options';
import { locatorValue } from '../shared/parameters';

/** The rows of *Outputs*. */
interface OutputRows {
	values?: Array<{ node?: unknown }>;
}

export const cancelOnStop = switchOption({
	displayName: 'Cancel Jobs When Execution Stops',
	name: 'cancelOnStop',
	default: true,
	description: 'Whether to cancel the jobs of this node in the service if the execution is stopped, to avoid further cost',
});

export const outputOptions = {
	/** Whether to ignore the choice of an app's author. */
	ignoresAppChoice: switchOption(
		{
			displayName: 'All Outputs',
			name: 'allOutputs',
			default: true,
			description:
				'Whether to return all files that an app saves. Without this option, an app returns only the outputs that its author selected. Rows of Outputs override this option.',
		},
		false,
	),
	/** The names of the chosen nodes. A row in which nothing was chosen yet is none. */
	chosen: option(
		{
			displayName: 'Outputs',
			name: 'outputs',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add Output',
			default: {},
			description:
				'Nodes of the workflow whose outputs to return. Without rows, an app returns the outputs that its author selected, and other workflows return all saved outputs.',
			options: [
				{
					displayName: 'Output',
					name: 'values',
					values: [
						{
							displayName: 'Node',
							name: 'node',
							type: 'resourceLocator',
							default: { mode: 'list', value: '' },
							description: 'Node whose outputs to return',
							modes: [
								fromList('searchOutputNodes', 'Select an output…'),
								{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. 9 or Save Image' },
							],
						},
					],
				},
			],
		},
		(rows) =>
			((rows as OutputRows | undefined)?.values ?? [])
				.map(({ node }) => String(locatorValue(node) ?? '').trim())
				.filter((name) => name !== ''),
	),
	includesPreviews: switchOption({
		displayName: 'Include Temporary Previews',
		name: 'includePreviews',
		default: false,
		description: 'Whether to also return the files of preview nodes. ComfyUI deletes these files when it restarts.',
	}),
};

export const saveOptions = { outputMode, binaryField };

export const seedOptions = {
	mode: choiceOption({
		displayName: 'Seeds',
		name: 'seeds',
		options: [
			{ name: 'As In The Workflow', value: 'asIs', description: 'Keep the seeds of the workflow for all items' },
			{
				name: 'Increase By One',
				value: 'increase',
				description: 'Use First Seed, or the seed of the workflow, for the first item, and add 1 for each further item',
			},
			{
				name: 'Random For Each Item',
				value: 'random',
				description: 'Use a different seed for each item. Retries of an item keep its seed.',
			},
		],
		default: 'asIs',
		description: 'How to set the seeds in all nodes of the workflow that have one. Each item contains its seeds.',
	}),
	/** The first seed of *Increase By One*; if empty, the seed of the workflow. */
	first: option(
		{
			displayName: 'First Seed',
			name: 'firstSeed',
			type: 'string',
			default: '',
			placeholder: 'e.g. 42',
			description: 'Seed of the first item. Used only if Seeds is Increase By One. If it is empty, the seed of the workflow is used.',
		},
		(entered) => entered,
	),
};
