import type { RouterOperation } from '../../../shared/connect/routerConnections';
import { checkCustomKeys } from '../../../shared/submission/keys';
import { description } from './description';
import { execute } from './execute';
import { type ModelRunSettings, settings } from './settings';

export const runModel: RouterOperation<ModelRunSettings> = {
	menu: {
		name: 'Run',
		action: 'Run model',
		description: 'Run a model and return its result',
	},
	description,
	settings,
	checkItems: checkCustomKeys,
	execute,
};
