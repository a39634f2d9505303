import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { nearMatches } from '../../../client';
import { serverControl } from '../../shared/connect/openConnection';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import type { ItemContext, ItemResult } from '../../shared/operation';
import { ItemFault } from '../../shared/itemFault';
import { commaList, type ReadParameter } from '../../shared/parameters';
import { simplified } from './simplified';

interface DefinitionSettings {
	/** Empty for all. */
	classes: string[];
	simplify: boolean;
}

export const needsControl = true;

const show = showForResource('nodeDefinition', 'getAll');

export const description: INodeProperties[] = [
	{
		displayName: 'Classes',
		name: 'classes',
		type: 'string',
		default: '',
		placeholder: 'e.g. LoadImage, KSampler',
		description: 'The node classes, as a workflow names them in class_type. Separate several by commas; leave empty for all.',
		displayOptions: show,
	},
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
		displayOptions: show,
	},
	options(show, [concurrency]),
];

export const settings = (read: ReadParameter): DefinitionSettings => ({
	classes: commaList(String(read<unknown>('classes', ''))),
	simplify: read<boolean>('simplify', true),
});

function unknownClass(name: string, known: string[]): ItemFault {
	const near = nearMatches(name, known);
	return new ItemFault(
		`The service has no node class "${name}"`,
		`Correct it under Classes. ${near.length === 0 ? 'Leave Classes empty to see all of them.' : `The service has: ${near.join(', ')}.`}`,
	);
}

/** One item for each class, in the order asked for. */
export async function execute({
	connection,
	settings: { classes, simplify },
	signal,
}: ItemContext<DefinitionSettings>): Promise<ItemResult[]> {
	const control = serverControl(connection);
	const definitions = await control.nodeDefinitions({ classes, signal });
	const unknown = classes.find((name) => !Object.hasOwn(definitions, name));
	// Engines may have told of the chosen classes only: near names are found among all of them.
	if (unknown !== undefined) throw unknownClass(unknown, Object.keys(await control.nodeDefinitions({ signal })));
	return (classes.length === 0 ? Object.keys(definitions) : classes).map((name) => {
		const definition = definitions[name] ?? {};
		return { json: simplify ? simplified(name, definition) : ({ class_name: name, ...definition } as IDataObject) };
	});
}
