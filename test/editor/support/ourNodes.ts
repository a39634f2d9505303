/** Our nodes, as the list of nodes names them. */
export const TRIGGER = 'Comfy Progress';
export const ACTIONS = [
	'Comfy Upload Asset',
	'Comfy Submit Workflow',
	'Comfy Wait For Job',
	'Comfy Get Workflow',
	'Comfy Download Outputs',
	'Comfy Manage Jobs',
	'Comfy Run Router Model',
];
