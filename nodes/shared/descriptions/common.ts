import type { IDisplayOptions, INodeCredentialDescription, INodeProperties, INodePropertyMode, NodeHint } from 'n8n-workflow';

import type { CredentialName } from '../credentials';
import { choiceOption, numberOption, type Option, unlessAddedToTool, withFields } from '../options';
import { withToolDefault } from './asTool';

/** Returns the paths of a node's icon. */
export const icon = (name: string) => ({ light: `file:../../icons/${name}.svg`, dark: `file:../../icons/${name}.dark.svg` }) as const;

/** Returns a hint above the node's output, about the next step. */
export const nextStep = (message: string, whenToDisplay: NodeHint['whenToDisplay'] = 'always'): NodeHint[] => [
	{ message, type: 'info', location: 'outputPane', whenToDisplay },
];

export const MAY_STAY_OPEN = 'Still Running may stay open: if a job then takes longer than Max Wait, its item fails with the job ID';

const credentialFor = (name: CredentialName): INodeCredentialDescription => ({
	name,
	required: true,
	testedBy: `${name}Test`,
	displayOptions: { show: { authentication: [name] } },
});

/** The parameter `authentication` chooses one of them. */
export const serviceCredentials: INodeCredentialDescription[] = [credentialFor('comfyApi'), credentialFor('comfySelfHostedApi')];

export const authentication: INodeProperties = {
	displayName: 'Authentication',
	name: 'authentication',
	type: 'options',
	options: [
		{ name: 'API Key (Hosted or Deployment)', value: 'comfyApi' },
		{ name: 'Self-Hosted', value: 'comfySelfHostedApi' },
	],
	default: 'comfyApi',
};

/** The service writes these names without a capital, which lint forbids in a literal. */
const AS_WRITTEN = { v2: 'v2', v1: 'v1 Hosted (Deprecated)' };

/**
 * The interface for the server of the credential. All credentials share one list, because n8n keeps the value of a hidden
 * parameter when another parameter of the same name is shown. A value that a credential does not offer means Automatic.
 */
export const interfaceOption = choiceOption({
	displayName: 'Interface',
	name: 'interface',
	options: [
		{
			name: 'Automatic',
			value: 'automatic',
			description: 'Uses v2 with an API key. With Self-Hosted, detects whether the server is ComfyUI or an API proxy.',
		},
		{ name: 'Engine', value: 'engine', description: 'ComfyUI without an API proxy. Only with Self-Hosted.' },
		{
			name: AS_WRITTEN.v1,
			value: 'v1',
			description: 'Older interface of the hosted service, at Hosted URL of the credential. Only with an API key.',
		},
		{
			name: AS_WRITTEN.v2,
			value: 'v2',
			description: 'Hosted service, deployment, or API proxy in front of your own ComfyUI',
		},
	],
	default: 'automatic',
	description: 'Keep Automatic unless you need a function of another interface. Use the same interface in all nodes of a workflow.',
});

/** For options of v1 and engines, which keep files in folders. */
export const withFolders: IDisplayOptions = { hide: { '/options.interface': ['v2'] } };
/** For idempotency keys, which v1 does not support. */
export const withKeys: IDisplayOptions = { hide: { '/options.interface': ['v1'] } };
/** For options of assets, which only v2 has. */
export const withAssets: IDisplayOptions = { hide: { '/options.interface': ['v1', 'engine'] } };

export const concurrency = numberOption(
	{
		displayName: 'Concurrency',
		name: 'concurrency',
		typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
		default: 5,
		description: 'How many items to process at the same time',
	},
	{ least: 1 },
);

/** The official MCP client gives up after 60 seconds. */
const TOOL_WAIT_FOR_SERVER_MINUTES = 0.5;

const waitForServerOfNode = numberOption(
	{
		displayName: 'Wait For Server (Minutes)',
		name: 'waitForServerMinutes',
		typeOptions: { minValue: 0 },
		default: 1,
		description: 'How long to retry if the server does not respond. Enter more if the machine must start first. 0 means one attempt.',
	},
	{ unit: 60_000 },
);

/** In milliseconds. */
export const waitForServer = unlessAddedToTool(
	withFields(waitForServerOfNode, (field) => withToolDefault(field, { default: TOOL_WAIT_FOR_SERVER_MINUTES })),
	TOOL_WAIT_FOR_SERVER_MINUTES,
);

const lostServerMinutes = numberOption({
	displayName: 'Report A Lost Server After (Minutes)',
	name: 'reportLostServerMinutes',
	typeOptions: { minValue: 0 },
	default: 5,
	description:
		'How long the server may give no usable answer while it has a job, or while a file is transferred. Then the item fails, and a retry of the execution continues with the job. 0 means no limit.',
});

/** For operations that submit jobs, wait for them, or transfer files. In milliseconds; Infinity for no limit. */
export const reportLostServer: Option<number> = {
	...lostServerMinutes,
	read: (...entered) => lostServerMinutes.read(...entered) * 60_000 || Infinity,
};

/** Returns the field *Options* of an operation, with the options that each operation has. */
export const options = (displayOptions: IDisplayOptions | undefined, chosen: Option[]): INodeProperties =>
	optionFields(displayOptions, [...chosen, waitForServer]);

/** Returns the field *Options*, which lists its options by their names. */
export const optionFields = (displayOptions: IDisplayOptions | undefined, chosen: Option[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	...(displayOptions === undefined ? {} : { displayOptions }),
	options: [...chosen].sort((one, other) => one.label.localeCompare(other.label)).flatMap(({ fields }) => fields),
});

export const filterFields = (displayOptions: IDisplayOptions | undefined, fields: INodeProperties[]): INodeProperties => ({
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add Filter',
	default: {},
	...(displayOptions === undefined ? {} : { displayOptions }),
	options: fields,
});

export const showForResource = (resource: string, ...operations: string[]): IDisplayOptions => ({
	show: { resource: [resource], operation: operations },
});

export const showFor = (...operations: string[]): IDisplayOptions => ({ show: { operation: operations } });

const LIST = { name: 'list', type: 'list' } as const;

/** Returns the mode of a resource locator in which the user chooses from a list. */
export const fromList = (searchListMethod: string, placeholder?: string): INodePropertyMode => ({
	displayName: 'From List',
	...LIST,
	...(placeholder !== undefined && { placeholder }),
	typeOptions: { searchListMethod, searchable: true, searchFilterRequired: false },
});

/** Returns the fields *Return All* and *Limit* of an operation that lists. */
export const limitFields = (show: IDisplayOptions): INodeProperties[] => [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
		displayOptions: show,
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { ...show.show, returnAll: [false] } },
	},
];
