import type { INodeProperties } from 'n8n-workflow';

import type { UploadOptions } from '../../client';
import { concurrency, interfaceOption, options, reportLostServer, showFor, withAssets, withFolders } from '../shared/descriptions/common';
import type { ItemRun, ItemResult } from '../shared/operation';
import { choiceOption, type Option, readOptions, switchOption } from '../shared/options';
import type { ReadParameter } from '../shared/parameters';
import { toAssetItem, readAssetOptions, readBinaryField, toBinaryFieldParameter, assetOptions, readFileToSend } from './fields';

interface UploadSettings {
	binaryField: string;
	filePath?: string;
	upload: Omit<UploadOptions, 'filePath'>;
}

const uploadOptions = {
	overwrite: switchOption({
		displayName: 'Overwrite',
		name: 'overwrite',
		default: false,
		description: 'Whether to replace a file with the same name. The hosted service ignores this option because it stores files by content.',
		displayOptions: withFolders,
	}),
	skipIfStored: switchOption({
		displayName: 'Skip If Already Stored',
		name: 'skipIfAlreadyStored',
		default: true,
		description: 'Whether to check the hash of the file first, and skip the upload if the service already stores the file',
		displayOptions: withAssets,
	}),
	use: choiceOption({
		displayName: 'Type',
		name: 'imageType',
		options: [
			{ name: 'Input', value: 'input', description: 'File for workflows' },
			{ name: 'Temporary', value: 'temp', description: 'File that the service may delete' },
		],
		default: 'input',
		description: 'Purpose of the file',
		displayOptions: withFolders,
	}),
};

export const menu = {
	name: 'Upload',
	action: 'Upload asset',
	description: 'Upload a file to the service',
};

export const description: INodeProperties[] = [
	toBinaryFieldParameter('upload'),
	{
		displayName: 'Path In Service',
		name: 'filePath',
		type: 'string',
		default: '',
		placeholder: 'e.g. input/cat.png',
		description:
			'Name of the file in the service, not a path on this computer. If it is empty, the file keeps its name. The API proxy accepts only the folder "input".',
		displayOptions: showFor('upload', 'createFromHash'),
	},
	options(showFor('upload'), [
		...[assetOptions, uploadOptions].flatMap((group) => Object.values<Option>(group)),
		concurrency,
		interfaceOption,
		reportLostServer,
	]),
];

export function settings(read: ReadParameter): UploadSettings {
	const { filePath, ...asset } = readAssetOptions(read);
	return {
		binaryField: readBinaryField(read),
		filePath,
		upload: { ...asset, ...readOptions(uploadOptions, read) },
	};
}

export async function execute(item: ItemRun, settings: UploadSettings): Promise<ItemResult> {
	const { connection, signal } = item;
	const { source, name } = await readFileToSend(item, settings.binaryField, 'upload');
	const { asset, bytesSent } = await connection.assets.upload(source, { ...settings.upload, filePath: settings.filePath ?? name, signal });
	return toAssetItem(connection, asset, bytesSent);
}
