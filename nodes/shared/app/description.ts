import type { INodeProperties, INodePropertyTypeOptions } from 'n8n-workflow';

import { workflowFirstNotice } from './formInEditor';

const APP_INPUTS = 'App Inputs';

/**
 * The form without fields, exactly as n8n 2.40 writes it when no fields arrive. As the default, that write changes nothing.
 * A different default changes the node each time the fields arrive. If a run starts before that, n8n then marks the node as
 * changed since the run, and runs it again, as a new job, together with the next node. A list that is open at that moment
 * stays empty until it is opened again.
 */
const WITHOUT_FIELDS = {
	mappingMode: 'defineBelow',
	value: {},
	matchingColumns: [],
	schema: [],
	attemptToConvertTypes: false,
	convertFieldsToString: false,
};

const { mappingMode, matchingColumns, schema } = WITHOUT_FIELDS;

/**
 * Each value that n8n writes for a form without fields, older versions included. The condition compares whole values,
 * because n8n 1.x cannot order the parameters if it names a part of one.
 */
const ALL_WITHOUT_FIELDS = [
	{ mappingMode, value: null },
	{ ...WITHOUT_FIELDS, value: null },
	WITHOUT_FIELDS,
	{ mappingMode, value: null, matchingColumns, schema },
	{ mappingMode, value: {}, matchingColumns, schema },
];

const MAPPER = {
	resourceMapperMethod: 'appInputFields',
	mode: 'map',
	valuesLabel: APP_INPUTS,
	fieldWords: { singular: 'input', plural: 'inputs' },
	addAllFields: true,
	supportAutoMap: false,
	// The types of n8n 1.x do not have this property.
	refreshStaleSchemaOnOpen: true,
} as const;

const appInputs = (displayOptions: INodeProperties['displayOptions'], loadOptionsDependsOn: string[]): INodeProperties => {
	const typeOptions: INodePropertyTypeOptions = {
		loadOptionsDependsOn,
		resourceMapper: MAPPER,
	};
	return {
		displayName: APP_INPUTS,
		name: 'appInputs',
		type: 'resourceMapper',
		noDataExpression: true,
		default: WITHOUT_FIELDS,
		typeOptions,
		description: 'Inputs that the author of the workflow selected in App Mode of ComfyUI',
		displayOptions,
	};
};

/** Returns the notice in place of the form while `field` is empty. It uses `hide`, because n8n ignores `show` if the field holds an expression. */
const noticeWhileEmpty = (name: string, action: string, source: string, field: string): INodeProperties => ({
	displayName: workflowFirstNotice(action),
	name,
	type: 'notice',
	default: '',
	displayOptions: { show: { workflowSource: [source] }, hide: { [field]: [{ _cnd: { not: '' } }] } },
});

/**
 * n8n empties the form and loads its fields again if a parameter changes that the form depends on. Another saved workflow
 * means another form. Another pasted text keeps the form, because it may be a new export of the same workflow. The form is
 * hidden until there is a workflow: n8n loads the fields when the form appears, without emptying it first.
 */
export const appInputsFields: INodeProperties[] = [
	appInputs({ show: { workflowSource: ['saved'] }, hide: { savedWorkflow: [''] } }, ['savedWorkflow.value']),
	appInputs({ show: { workflowSource: ['json'] }, hide: { workflow: [''] } }, ['workflowSource']),
	noticeWhileEmpty('appInputsBeforeChoice', 'Choose', 'saved', 'savedWorkflow'),
	noticeWhileEmpty('appInputsBeforePaste', 'Paste', 'json', 'workflow'),
	{
		displayName:
			'If you leave a field unchanged or clear it, the node sends the value that is saved in ComfyUI. For a file, enter the name of a binary field, a URL, or a file in ComfyUI. To send an empty text, use the expression {{ "" }}.',
		name: 'appInputsNotice',
		type: 'notice',
		default: '',
		displayOptions: {
			show: { workflowSource: ['saved', 'json'] },
			hide: {
				savedWorkflow: [''],
				workflow: [''],
				appInputs: ALL_WITHOUT_FIELDS.map((form) => ({ _cnd: { eq: form as unknown as string } })),
			},
		},
	},
];
