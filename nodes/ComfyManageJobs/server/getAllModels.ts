import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { type CallOptions, type ServerConnection, nearMatches, type ServerMaintenance } from '../../../client';
import { requireEngine } from '../../shared/connect/openConnection';
import { withToolDefault } from '../../shared/descriptions/asTool';
import { concurrency, filterFields, fromList, limitFields, options, showForResource } from '../../shared/descriptions/common';
import { includesAll, splitWords } from '../../shared/listSearch/entries';
import { messages } from '../../shared/messages/catalogue';
import { requireRoute } from './requireRoute';
import type { ItemRun, ItemResult } from '../../shared/operation';
import { locatorValue, readLimit, type ReadParameter } from '../../shared/parameters';
import { collectFromServers, readServer, type ServerChoice, serverField } from '../onServers';
import { ItemFault } from '../../shared/itemFault';

interface ModelFileSettings extends ServerChoice {
	/** Empty for all folders. */
	folder: string;
	text: string;
	/** Infinity for all. */
	limit: number;
}

export const needsControl = true;

const show = showForResource('server', 'getAllModels');

/** In a tool, the model gives the folder and the words. */
const FOLDER_FROM_MODEL =
	"={{ $fromAI('folder', 'Folder of models, for example loras or checkpoints. Empty for all folders.', 'string', '') }}";
const TEXT_FROM_MODEL = "={{ $fromAI('text', 'Words that the name must contain. Empty for all models.', 'string', '') }}";

const folder: INodeProperties = {
	displayName: 'Folder',
	name: 'folder',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'Folder of ComfyUI whose models to return. If it is empty, the models of all folders are returned.',
	modes: [
		fromList('searchModelFolders', 'All folders'),
		{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. loras' },
	],
	displayOptions: show,
};

const filters = filterFields(show, [
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		default: '',
		placeholder: 'e.g. sdxl',
		description: 'Return only models whose name or folder contains all of these words',
	},
]);

export const menu = {
	name: 'Get Many Models',
	action: 'Get many models of server',
	description: 'List the model files of your ComfyUI, for example checkpoints and LoRAs',
};

export const toolText =
	'Lists the model files of ComfyUI: the checkpoints, LoRAs and other models that a workflow can use. Enter a folder, for example loras, and words of the name. Returns JSON for each model: name, folder, size_bytes and modified_at, and its server if there are several. To use a model with a tool that runs a workflow, pass its name exactly as it is. It creates no job and costs nothing.';

export const description: INodeProperties[] = [
	...withToolDefault(folder, { default: { mode: 'name', value: FOLDER_FROM_MODEL } }),
	...limitFields(show),
	...withToolDefault(filters, { default: { text: TEXT_FROM_MODEL } }),
	options(show, [concurrency, serverField]),
];

export const settings = (read: ReadParameter): ModelFileSettings => ({
	folder: String(locatorValue(read<unknown>('folder', '')) ?? '').trim(),
	text: String(read<{ text?: unknown }>('filters', {}).text ?? ''),
	limit: readLimit(read),
	...readServer(read),
});

async function readFolder(maintenance: ServerMaintenance, name: string, call: CallOptions): Promise<IDataObject[] | undefined> {
	const files = await maintenance.models(name, call);
	return files?.map((file) => ({ name: file.name, folder: name, size_bytes: file.size_bytes, modified_at: file.modified_at }));
}

const readFolders = async (maintenance: ServerMaintenance, call: CallOptions): Promise<string[]> =>
	await requireRoute('list models', maintenance.modelFolders(call));

/** Returns the models of the folder. @throws ItemFault if there is no such folder. */
async function readChosenFolder(maintenance: ServerMaintenance, name: string, call: CallOptions): Promise<IDataObject[]> {
	const models = await readFolder(maintenance, name, call);
	if (models !== undefined) return models;
	const known = await readFolders(maintenance, call);
	const near = nearMatches(name, known);
	throw new ItemFault(near.length > 0 ? messages.MODEL_FOLDER_MISSPELLED(name, near) : messages.MODEL_FOLDER_UNKNOWN(name, known));
}

async function readAllFolders(maintenance: ServerMaintenance, call: CallOptions): Promise<IDataObject[]> {
	const models: IDataObject[] = [];
	for (const name of await readFolders(maintenance, call)) models.push(...((await readFolder(maintenance, name, call)) ?? []));
	return models;
}

async function readModels(connection: ServerConnection, wanted: ModelFileSettings, call: CallOptions): Promise<IDataObject[]> {
	const { maintenance } = requireEngine(connection, 'list models');
	const words = splitWords(wanted.text);
	const models = await (wanted.folder === '' ? readAllFolders(maintenance, call) : readChosenFolder(maintenance, wanted.folder, call));
	return models.filter((model) => includesAll(`${String(model.folder)}/${String(model.name)}`, words));
}

/** Returns an item for each model. The name is the one that an input of a workflow takes. */
export async function execute(item: ItemRun, wanted: ModelFileSettings): Promise<ItemResult[]> {
	const { connection, signal, isTool } = item;
	const items = await collectFromServers(item, wanted, async (server) => await readModels(server, wanted, { signal }), wanted.limit);
	// An agent needs an answer even if the list is empty.
	return isTool && items.length === 0 ? [{ json: { models: 0, interface: connection.interface } }] : items;
}
