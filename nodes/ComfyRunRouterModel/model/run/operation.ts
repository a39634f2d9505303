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
	toolText:
		'Runs one partner model of the model router, for example for images, video, audio or text. Each run costs money, and a call with other inputs is another run. Returns JSON: output is the response of the model, files lists the downloaded files, and cost_usd is the cost in US dollars if the router reports it. If the error says that a cost limit is reached, nothing was run: do not call this tool again with the same inputs.',
	description,
	settings,
	checkItems: checkCustomKeys,
	execute,
};
