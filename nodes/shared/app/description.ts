import type { INodeProperties, INodePropertyTypeOptions } from 'n8n-workflow';

import { whatComesFirst } from './inEditor';

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
 * All that n8n writes for a form that has nothing to fill in, older versions included. A part of it cannot be asked for:
 * n8n 1.x then finds no order of the parameters.
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
	// The types of n8n 1.x do not know it.
	refreshStaleSchemaOnOpen: true,
} as const;

const appInputs = (shownWhere: INodeProperties['displayOptions'], loadOptionsDependsOn: string[]): INodeProperties => {
	const typeOptions: INodePropertyTypeOptions = {
		loadOptionsDependsOn,
		resourceMapper: MAPPER,
	};
	return {
		displayName: APP_INPUTS,
		name: 'appInputs',
		type: 'resourceMapper',
		// A form of one's own: it has no other title.
		noDataExpression: true,
		default: WITHOUT_FIELDS,
		typeOptions,
		description: 'The form that the author of the workflow designed in ComfyUI, in App Mode',
		displayOptions: shownWhere,
	};
};

/** A line in place of the form while `field` is empty. `hide` and not `show`, which n8n ignores where an expression stands in the field. */
const whileEmpty = (name: string, action: string, source: string, field: string): INodeProperties => ({
	displayName: whatComesFirst(action),
	name,
	type: 'notice',
	default: '',
	displayOptions: { show: { workflowSource: [source] }, hide: { [field]: [{ _cnd: { not: '' } }] } },
});

/**
 * n8n empties the form and fetches its fields anew where a value changes that it depends on. Another saved workflow is
 * another form. A pasted one is not: a changed export comes by pasting as well, and must not cost what was filled in.
 * Before there is a workflow, no form is shown: n8n fetches the fields when it appears, without emptying it first.
 */
export const appInputsFields: INodeProperties[] = [
	appInputs({ show: { workflowSource: ['saved'] }, hide: { savedWorkflow: [''] } }, ['savedWorkflow.value']),
	appInputs({ show: { workflowSource: ['json'] }, hide: { workflow: [''] } }, ['workflowSource']),
	whileEmpty('appInputsBeforeChoice', 'Choose', 'saved', 'savedWorkflow'),
	whileEmpty('appInputsBeforePaste', 'Paste', 'json', 'workflow'),
	{
		displayName:
			'What you leave as it is, or empty, is sent as ComfyUI has it saved by then. A file input takes the name of a binary field, a URL, or a file in ComfyUI. Long texts: the expression editor is larger; there {{ "" }} is an empty text.',
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
