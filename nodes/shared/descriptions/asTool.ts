import type { INodeProperties } from 'n8n-workflow';

/** n8n makes a variant of each node that agents use as a tool. A field with this condition is shown in that variant only. */
const AS_TOOL = { '@tool': [true] };
const AS_NODE = { '@tool': [false] };

export type ShowCondition = NonNullable<INodeProperties['displayOptions']>['show'];

const addCondition = (field: INodeProperties, show: ShowCondition): INodeProperties => ({
	...field,
	displayOptions: { ...field.displayOptions, show: { ...field.displayOptions?.show, ...show } },
});

/** Returns the field for the node only. */
export const withoutTool = (field: INodeProperties): INodeProperties => addCondition(field, AS_NODE);

/** Returns the field twice: for the node, and with other values for the tool. */
export const withToolDefault = (
	field: INodeProperties,
	asTool: Pick<INodeProperties, 'default'> & Partial<INodeProperties>,
): INodeProperties[] => [withoutTool(field), addCondition({ ...field, ...asTool }, AS_TOOL)];

/**
 * Returns the field with the text that the model reads about the tool. n8n adds a field of this name to each tool that has
 * none, and fills it with the node's description for people.
 */
export const toolDescription = (text: string, show: ShowCondition = {}): INodeProperties =>
	addCondition(
		{
			displayName: 'Tool Description',
			name: 'toolDescription',
			type: 'string',
			typeOptions: { rows: 4 },
			default: text,
			required: true,
			description:
				'Text that the AI agent reads about this tool. Describe what your workflow generates, and keep the instructions about the fields.',
		},
		{ ...show, ...AS_TOOL },
	);
