import type { INodeProperties } from 'n8n-workflow';

/** n8n gives each node a variant that agents use as a tool; these fields are of it alone. */
const AS_TOOL = { '@tool': [true] };
const AS_NODE = { '@tool': [false] };

type Shown = NonNullable<INodeProperties['displayOptions']>['show'];

const shownWhere = (field: INodeProperties, show: Shown): INodeProperties => ({
	...field,
	displayOptions: { ...field.displayOptions, show: { ...field.displayOptions?.show, ...show } },
});

/** Another default where the node is a tool. */
export const withToolDefault = (
	field: INodeProperties,
	asTool: Pick<INodeProperties, 'default'> & Partial<INodeProperties>,
): INodeProperties[] => [shownWhere(field, AS_NODE), shownWhere({ ...field, ...asTool }, AS_TOOL)];

/**
 * What the model reads of the tool. n8n puts a field of this name into every tool that has none, and fills it with the
 * node's description for people.
 */
export const toolDescription = (text: string, show: Shown = {}): INodeProperties =>
	shownWhere(
		{
			displayName: 'Tool Description',
			name: 'toolDescription',
			type: 'string',
			typeOptions: { rows: 4 },
			default: text,
			required: true,
			description: 'What the model of the agent reads of this tool. Say what your workflow makes, and keep what to do with job_id.',
		},
		{ ...show, ...AS_TOOL },
	);
