import {
	type INodeType,
	type INodeTypeDescription,
	type ITriggerFunctions,
	type ITriggerResponse,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { credentialTest } from '../shared/connect/credentialTest';
import { icon } from '../shared/descriptions/common';
import { description, triggerPanel } from './description';
import { listen } from './listen';

export class ComfyProgressTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Comfy Progress Trigger',
		name: 'comfyProgressTrigger',
		icon: icon('trigger'),
		group: ['trigger'],
		version: [1],
		subtitle:
			'={{ { hostedAccount: "Hosted account", jobs: "Jobs", engine: "Engine" }[$parameter["source"]] }}: {{ { milestones: "milestones", eachOutput: "each output", onlyWhenFinished: "when finished", everyEvent: "every event" }[$parameter["deliver"]] }}',
		description: 'Starts the workflow when ComfyUI jobs reach a milestone, save an output, or finish',
		eventTriggerDescription: 'Waiting for an event of a job',
		activationMessage: 'The trigger now listens for jobs.',
		triggerPanel,
		defaults: { name: 'Comfy Progress Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		// The same as in the other nodes, but as literals, because n8n's lint looks for the test of a credential in the node file.
		credentials: [
			{ name: 'comfyApi', required: true, testedBy: 'comfyApiTest', displayOptions: { show: { authentication: ['comfyApi'] } } },
			{
				name: 'comfySelfHostedApi',
				required: true,
				testedBy: 'comfySelfHostedApiTest',
				displayOptions: { show: { authentication: ['comfySelfHostedApi'] } },
			},
		],
		properties: description,
	};

	methods = { credentialTest };

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await listen(this);
	}
}
