import type { INodeProperties } from 'n8n-workflow';

import { isRouterModelId, LONGEST_MODEL_ID } from '../../client';
import { fromList } from '../shared/descriptions/common';
import { ItemFault } from '../shared/itemFault';
import { locatorValue, enteredText, type ReadParameter } from '../shared/parameters';

const ADVICE = 'Nothing was sent. Choose the model From List, or correct its id.';

export const modelLocator: INodeProperties = {
	displayName: 'Model',
	name: 'model',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The partner model to use',
	modes: [
		fromList('searchModels', 'Select a model…'),
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. bfl/flux-2-pro' },
	],
};

/** Why a text is no id; only the first thing that is wrong. */
function whatIsWrong(id: string): string {
	const [provider = '', model = '', ...others] = id.split('/');
	if (provider === '' || model === '' || others.length > 0) return 'An id is made of a provider and a model, e.g. bfl/flux-2-pro.';
	if (provider.length > LONGEST_MODEL_ID.provider)
		return `Its provider has ${provider.length} characters; at most ${LONGEST_MODEL_ID.provider} are possible.`;
	if (model.length > LONGEST_MODEL_ID.model)
		return `Its part after the slash has ${model.length} characters; at most ${LONGEST_MODEL_ID.model} are possible.`;
	if (/[A-Z]/.test(id)) return `Ids have no capital letters: ${id.toLowerCase()}.`;
	return 'Ids have small letters and digits, joined by single ".", "_" or "-".';
}

const LONGEST_SHOWN = 80;
const shown = (id: string): string => (id.length > LONGEST_SHOWN ? `${id.slice(0, LONGEST_SHOWN)}…` : id);

/** @throws ItemFault before anything is sent, when this can be the id of no model. */
export function readModelId(read: ReadParameter): string {
	const id = enteredText(locatorValue(read<unknown>('model')), 'Model');
	if (isRouterModelId(id)) return id;
	throw new ItemFault(`"${shown(id)}" is not the id of a model`, `${whatIsWrong(id)} ${ADVICE}`);
}
