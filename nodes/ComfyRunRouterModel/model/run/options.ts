/** The options of the operations *Run* and *Estimate Cost*. */
import { BYTES_PER_MB } from '../../../../client';
import { choiceOption, limitOption, numberOption, option, switchOption, textOption } from '../../../shared/options';
import { customKey } from '../../../shared/submission/keys';
import { enteredNumber } from '../../../shared/parameters';

/** Options that change the body of a request. */
export const inputOptions = {
	seeds: choiceOption({
		displayName: 'Seeds',
		name: 'seeds',
		options: [
			{ name: 'As In The Input', value: 'asIs', description: 'Use the seed in the input. Without one, the model chooses a seed.' },
			{
				name: 'Random For Each Item',
				value: 'random',
				description: 'Use a different seed for each item if its input has none. Retries of an item keep its seed.',
			},
		],
		default: 'asIs',
		description: 'How to set the seed inputs of the model. With Random For Each Item, each item contains its seeds.',
	}),
};

export const runOptions = {
	downloadFiles: switchOption({
		displayName: 'Download Result Files',
		name: 'downloadResultFiles',
		default: true,
		description: 'Whether to download the files that the output of the model links to. These links often expire within hours.',
	}),
	largestFileBytes: numberOption(
		{
			displayName: 'Largest Result File (MB)',
			name: 'largestResultFileMb',
			typeOptions: { minValue: 0 },
			default: 1_000,
			description: 'Largest file to download. Used only if Download Result Files is on.',
		},
		{ unit: BYTES_PER_MB },
	),
	binaryField: textOption({
		displayName: 'Put Output File In Field',
		name: 'binaryPropertyName',
		default: 'data',
		hint: 'The name of the output binary field to put the file in. If there are several files, their fields are data_0, data_1, and so on.',
	}),
	customKey,
	keyMode: choiceOption({
		displayName: 'Idempotency Key',
		name: 'idempotencyKeyMode',
		options: [
			{
				name: 'Automatic',
				value: 'automatic',
				description: 'One key for each item. A retry uses the same key, also after n8n crashes, so a run is never paid twice.',
			},
			{
				name: 'Custom',
				value: 'custom',
				description: 'Your own key for each item. Within 24 hours, the same key returns the same result without a new charge.',
			},
		],
		default: 'automatic',
		description: 'Key by which the router recognizes a repeated run',
	}),
	/** How many runs may be sent; Infinity if there is no limit. */
	runLimit: option(
		{
			displayName: 'Limit Runs Per Execution',
			name: 'limitRuns',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 0 },
			default: 10,
			description:
				'Max number of runs of this node in one execution, to limit the cost. Further items are not sent. Retries of a run are not counted again. Without this option, there is no limit.',
		},
		(entered) => (entered === undefined ? Infinity : enteredNumber(entered, 'Limit Runs Per Execution', 0)),
	),
	/** In US dollars. */
	maxCostUsd: limitOption({
		displayName: 'Max Cost (USD)',
		name: 'maxCostUsd',
		default: 1,
		description:
			'Max cost of the run of an item. The node first asks the router for an estimate, and sends nothing if its upper amount is higher. If a fallback provider runs the model, the cost can differ.',
	}),
	/** In US dollars. */
	maxExecutionCostUsd: limitOption({
		displayName: 'Max Cost Per Execution (USD)',
		name: 'maxExecutionCostUsd',
		default: 10,
		description:
			'Max cost of all runs of this node in one execution. Each run counts with the upper amount of its estimate until the router reports its cost. Items that no longer fit are not sent.',
	}),
	ifCostUnknown: choiceOption({
		displayName: 'If Cost Is Unknown',
		name: 'ifCostUnknown',
		options: [
			{ name: 'Stop', value: 'stop', description: 'Do not send the item. It fails with the reason.' },
			{
				name: 'Continue',
				value: 'continue',
				description: 'Send the item without a limit. It counts only when the router reports its cost.',
			},
		],
		default: 'stop',
		description:
			'What to do if the router does not estimate the cost of a run. Used only with Max Cost (USD) or Max Cost Per Execution (USD).',
	}),
};

const toParameter = (entered: unknown): string | undefined => (entered === undefined ? undefined : String(entered));

/** Parameters of the query, by their names in the router. Undefined: the router decides. */
export const routingOptions = {
	model_provider: option(
		{
			displayName: 'Model Provider',
			name: 'modelProvider',
			type: 'string',
			default: '',
			description: 'Provider to use if the model has several',
		},
		(entered = '') => String(entered).trim() || undefined,
	),
	strict_mode: option(
		{
			displayName: 'Strict Mode',
			name: 'strictMode',
			type: 'boolean',
			default: false,
			description: 'Whether the router rejects inputs that the provider does not support. If this is off, it omits them.',
		},
		toParameter,
	),
	fallback_provider: option(
		{
			displayName: 'Fallback Provider',
			name: 'fallbackProvider',
			type: 'boolean',
			default: true,
			description: 'Whether to use another provider of the same model if the first one is not available. Not for queued delivery.',
		},
		toParameter,
	),
	reject_unknown_fields: option(
		{
			displayName: 'Reject Unknown Fields',
			name: 'rejectUnknownFields',
			type: 'boolean',
			default: false,
			description: 'Whether the router rejects inputs that the model does not have',
		},
		toParameter,
	),
};
