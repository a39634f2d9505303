import type { INodeProperties } from 'n8n-workflow';

import { fromList } from '../descriptions/common';

/** Returns the locator of an input: from the list of the workflow's inputs, or by name if the workflow is only known at run time. */
export const inputLocator = (searchListMethod: string, description: string, placeholder: string): INodeProperties => ({
	displayName: 'Input',
	name: 'input',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description,
	modes: [
		fromList(searchListMethod),
		{
			displayName: 'By Name',
			name: 'name',
			type: 'string',
			placeholder,
			hint: 'Enter the ID or title of the node and the name of its input. Use this mode if the workflow comes from an expression.',
		},
	],
});

/** A new node shows one empty row, which has no effect. */
const EMPTY_ROW = { input: { __rl: true, mode: 'list', value: '' }, value: '' };

/** The rows that put values into the workflow. They keep their values if another workflow is pasted. */
export const inputs: INodeProperties = {
	displayName: 'Inputs',
	name: 'inputs',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Input',
	default: { values: [EMPTY_ROW] },
	description: 'Inputs of the workflow to change, for example the prompt. All other inputs keep their values.',
	options: [
		{
			displayName: 'Input',
			name: 'values',
			values: [
				inputLocator('searchInputs', 'Input of the workflow to change', 'e.g. 6.text or Positive · text'),
				{
					displayName: 'Value From',
					name: 'valueFrom',
					type: 'options',
					options: [
						{
							name: 'Text or Expression',
							value: 'text',
							description: 'Value that you enter, or that an expression returns',
						},
						{
							name: 'Choice',
							value: 'choice',
							description: 'Value from a list, for example a checkpoint, LoRA or sampler that ComfyUI offers for this input',
						},
					],
					default: 'text',
					description: 'Source of the value',
				},
				{
					displayName: 'Choice',
					name: 'choice',
					type: 'resourceLocator',
					default: { mode: 'list', value: '' },
					description: 'Value that ComfyUI offers for this input. Choose Input first.',
					modes: [
						fromList('searchChoices', 'Select a value…'),
						{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. sd_xl_base_1.0.safetensors' },
					],
					displayOptions: { show: { valueFrom: ['choice'] } },
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					typeOptions: { rows: 2 },
					default: '',
					placeholder: 'e.g. a red fox in the snow',
					description: 'Text, number, true, false, or an expression. The node converts the value to the type of the input.',
					// Rows that were saved before this field existed have no Value From.
					displayOptions: { hide: { valueFrom: ['choice'] } },
				},
			],
		},
	],
};
