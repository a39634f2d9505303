import type { INodeProperties } from 'n8n-workflow';

import { isRouterModelId } from '../../../client';
import { ItemFault, type ReadParameter } from '../../shared/operations';
import { locatorValue, requiredText } from '../../shared/parameters';

const LONGEST_PROVIDER = 64;
const LONGEST_MODEL = 128;
const ADVICE = 'Nothing was sent. Choose the model From List, or correct its id.';

export const modelLocator: INodeProperties = {
	displayName: 'Model',
	name: 'model',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The partner model to use',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a model…',
			typeOptions: { searchListMethod: 'searchModels', searchable: true, searchFilterRequired: false },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. bfl/flux-2-pro' },
	],
};

/** Why a text is no id; only the first thing that is wrong. */
function whatIsWrong(id: string): string {
	const [provider = '', model = '', ...others] = id.split('/');
	if (provider === '' || model === '' || others.length > 0) return 'An id is made of a provider and a model, e.g. bfl/flux-2-pro.';
	if (provider.length > LONGEST_PROVIDER) return `Its provider has ${provider.length} characters; at most ${LONGEST_PROVIDER} are possible.`;
	if (model.length > LONGEST_MODEL) return `Its part after the slash has ${model.length} characters; at most ${LONGEST_MODEL} are possible.`;
	if (/[A-Z]/.test(id)) return `Ids have no capital letters: ${id.toLowerCase()}.`;
	return 'Ids have small letters and digits, joined by single ".", "_" or "-".';
}

const LONGEST_SHOWN = 80;
const shown = (id: string): string => (id.length > LONGEST_SHOWN ? `${id.slice(0, LONGEST_SHOWN)}…` : id);

/** @throws ItemFault before anything is sent, when this can be the id of no model. */
export function readModelId(read: ReadParameter): string {
	const id = requiredText(locatorValue(read<unknown>('model')), 'Model');
	if (isRouterModelId(id)) return id;
	throw new ItemFault(`"${shown(id)}" is not the id of a model`, `${whatIsWrong(id)} ${ADVICE}`);
}
