import type { IDataObject, INodeProperties } from 'n8n-workflow';

import {
	newestSavedFirst,
	type SavedWorkflow,
	templateChoice,
	workflowFolder,
	type WorkflowTemplate,
	workflowTitle,
} from '../../../client';
import { type CredentialName, isDeployment } from '../../shared/credentials';
import { concurrency, filterFields, limitFields, options, showForResource } from '../../shared/descriptions/common';
import { includesAll, splitWords } from '../../shared/listSearch/entries';
import { messages } from '../../shared/messages/catalogue';
import type { ItemRun, ItemResult } from '../../shared/operation';
import { readOptions, switchOption } from '../../shared/options';
import { readLimit, type ReadParameter } from '../../shared/parameters';
import { ItemFault } from '../../shared/itemFault';

interface SavedWorkflowFilters {
	appsOnly?: boolean;
	folder?: string;
	text?: string;
}

interface WorkflowListSettings {
	/** Infinity for all. */
	limit: number;
	filters: SavedWorkflowFilters;
	includeTemplates: boolean;
}

export const needsControl = true;

const show = showForResource('workflow', 'getAll');

const includeTemplates = switchOption({
	displayName: 'Include Templates',
	name: 'includeTemplates',
	default: false,
	description: 'Whether to also return the templates of ComfyUI and its custom nodes, after the saved workflows',
});

export const menu = {
	name: 'Get Many',
	action: 'Get many saved workflows',
	description: 'List the workflows and apps that are saved in ComfyUI, newest first',
};

export const toolText =
	'Lists the workflows and apps that are saved in ComfyUI, newest first. Returns JSON for each workflow: name, folder, path, is_app and modified_at. To run a saved workflow with another tool, use its path. It creates no job and costs nothing.';

export const description: INodeProperties[] = [
	...limitFields(show),
	filterFields(show, [
		{
			displayName: 'Apps Only',
			name: 'appsOnly',
			type: 'boolean',
			default: true,
			description: 'Whether to return only workflows that were saved as an app',
		},
		{
			displayName: 'Folder',
			name: 'folder',
			type: 'string',
			default: '',
			placeholder: 'e.g. portraits',
			description: 'Return only workflows in this folder of ComfyUI and in its subfolders',
		},
		{
			displayName: 'Text',
			name: 'text',
			type: 'string',
			default: '',
			placeholder: 'e.g. fox',
			description: 'Return only workflows whose name or folder contains all of these words',
		},
	]),
	options(show, [concurrency, includeTemplates]),
];

export const settings = (read: ReadParameter): WorkflowListSettings => ({
	limit: readLimit(read),
	filters: read<SavedWorkflowFilters>('filters', {}),
	...readOptions({ includeTemplates }, read),
});

/** In both kinds of items, the field *Saved Workflow* takes `path`. */
const toSavedItem = ({ path, isApp, sizeBytes, modifiedAt }: SavedWorkflow): IDataObject => ({
	name: workflowTitle(path),
	folder: workflowFolder(path),
	path,
	is_app: isApp,
	is_template: false,
	size_bytes: sizeBytes,
	modified_at: modifiedAt,
});

const toTemplateItem = ({ name, title, description: about, group }: WorkflowTemplate): IDataObject => ({
	name: title,
	folder: group,
	path: templateChoice(name),
	is_app: false,
	is_template: true,
	size_bytes: null,
	modified_at: null,
	description: about,
});

/** Removes slashes around a folder, and replaces backslashes. */
const normalizeFolder = (text: string): string =>
	text
		.trim()
		.replaceAll('\\', '/')
		.replace(/^\/+|\/+$/g, '');

function passesFilters({ name, folder, is_app }: IDataObject, filters: SavedWorkflowFilters): boolean {
	const parent = String(folder);
	const wanted = normalizeFolder(filters.folder ?? '');
	return (
		(filters.appsOnly !== true || is_app === true) &&
		(wanted === '' || `${parent}/`.startsWith(`${wanted}/`)) &&
		includesAll(`${parent}/${String(name)}`, splitWords(filters.text ?? ''))
	);
}

/** Returns an item for each saved workflow, newest first, and then for each template. */
export async function execute(
	{ execution, itemIndex, connection, signal, isTool }: ItemRun,
	{ limit, filters, includeTemplates }: WorkflowListSettings,
): Promise<ItemResult[]> {
	const name = execution.getNodeParameter('authentication', itemIndex) as CredentialName;
	const { library } = connection;
	if (library === undefined || isDeployment(name, await execution.getCredentials(name, itemIndex)))
		throw new ItemFault(messages.SAVED_WORKFLOWS_NOT_AVAILABLE());
	const saved = (await library.list({ signal })).sort(newestSavedFirst).map(toSavedItem);
	const templates = includeTemplates ? (await library.templates({ signal })).map(toTemplateItem) : [];
	const items = [...saved, ...templates].filter((item) => passesFilters(item, filters)).slice(0, limit);
	// An agent needs an answer even if the list is empty.
	return isTool && items.length === 0 ? [{ json: { workflows: 0, interface: connection.interface } }] : items.map((json) => ({ json }));
}
