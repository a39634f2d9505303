import type { INodeProperties } from 'n8n-workflow';

import { fromList } from '../descriptions/common';

/** An input by the list of what the workflow lets one change, or by name where the workflow is not there to be listed. */
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
			hint: 'ID or title of the node and name of its input; for workflows that come by an expression',
		},
	],
});

/** A fresh node shows one, to be filled in; left untouched it says nothing. */
const UNTOUCHED_ROW = { input: { __rl: true, mode: 'list', value: '' }, value: '' };

/** The rows that put values into the workflow. Every row keeps what it holds when a changed workflow is pasted. */
export const inputs: INodeProperties = {
	displayName: 'Inputs',
	name: 'inputs',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Input',
	default: { values: [UNTOUCHED_ROW] },
	description: 'What to change in the workflow, e.g. its prompt; everything else stays as it is',
	options: [
		{
			displayName: 'Input',
			name: 'values',
			values: [
				inputLocator('searchInputs', 'What to change in the workflow', 'e.g. 6.text or Positive · text'),
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					typeOptions: { rows: 2 },
					default: '',
					placeholder: 'e.g. a red fox in the snow',
					description: 'Text, number, true or false, or an expression: it is sent in the type that the input takes',
				},
			],
		},
	],
};
