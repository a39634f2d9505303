import type { INodeProperties, INodePropertyTypeOptions } from 'n8n-workflow';

const APP_INPUTS = 'App Inputs';

const FRESH = { mappingMode: 'defineBelow', value: null };

/** What n8n makes of a form that has nothing to fill in. A part of it cannot be asked for: n8n 1.x then finds no order of the parameters. */
const WITHOUT_FIELDS = [
	FRESH,
	...[null, {}].flatMap((value) =>
		[
			{ matchingColumns: [], schema: [] },
			{ matchingColumns: [], schema: [], attemptToConvertTypes: false, convertFieldsToString: false },
		].map((rest) => ({ ...FRESH, value, ...rest })),
	),
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
		default: FRESH,
		typeOptions,
		description: 'The form that the author of the workflow designed in ComfyUI, in App Mode',
		displayOptions: shownWhere,
	};
};

/**
 * n8n empties the form and fetches its fields anew where a value changes that it depends on. Another saved workflow is
 * another form. A pasted one is not: a changed export comes by pasting as well, and must not cost what was filled in;
 * so only the first paste counts, into an empty field, for which the two variants depend on different values.
 */
export const appInputsFields: INodeProperties[] = [
	appInputs({ show: { workflowSource: ['saved'] } }, ['savedWorkflow.value']),
	appInputs({ show: { workflowSource: ['json'], workflow: [''] } }, ['workflowSource']),
	appInputs({ show: { workflowSource: ['json'] }, hide: { workflow: [''] } }, ['workflowSource', 'workflowSource']),
	{
		displayName:
			'What you leave as it is, or empty, is sent as ComfyUI has it saved by then. A file input takes the name of a binary field, a URL, or a file in ComfyUI. Long texts: the expression editor is larger; there {{ "" }} is an empty text.',
		name: 'appInputsNotice',
		type: 'notice',
		default: '',
		displayOptions: {
			show: { workflowSource: ['saved', 'json'] },
			hide: { appInputs: WITHOUT_FIELDS.map((form) => ({ _cnd: { eq: form as unknown as string } })) },
		},
	},
];
