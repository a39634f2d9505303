import { existsSync, readdirSync } from 'node:fs';

import { version as engineVersion } from 'n8n-core/package.json';
import type { IDataObject } from 'n8n-workflow';

import type { Credential, InputItem, NodeRun } from './engine';

/** An item that carries one file in the field `data`. */
export const fileItem = (content: Buffer, fileName = 'cat.png', mimeType = 'image/png'): InputItem => ({
	files: { data: { content, fileName, mimeType } },
});

type AssetOperation = 'upload' | 'uploadMask' | 'createFromHash' | 'get' | 'delete';

export const assetRun = (credential: Credential, operation: AssetOperation, more: Partial<NodeRun> = {}): NodeRun => ({
	node: 'comfyUploadAsset',
	credential,
	...more,
	parameters: { operation, ...more.parameters },
});

export const uploadRun = (credential: Credential, items: InputItem[], parameters: IDataObject = {}, more: Partial<NodeRun> = {}): NodeRun =>
	assetRun(credential, 'upload', { items, parameters, ...more });

const itemsOf = (jobIds: string[]): InputItem[] => jobIds.map((job_id) => ({ json: { job_id } }));

export const downloadRun = (
	credential: Credential,
	jobIds: string[],
	parameters: IDataObject = {},
	more: Partial<NodeRun> = {},
): NodeRun => ({
	node: 'comfyDownloadOutputs',
	credential,
	items: itemsOf(jobIds),
	parameters,
	...more,
});

export const workflowRun = (
	credential: Credential,
	jobIds: string[],
	parameters: IDataObject = {},
	more: Partial<NodeRun> = {},
): NodeRun => ({
	node: 'comfyGetWorkflow',
	credential,
	items: itemsOf(jobIds),
	parameters,
	...more,
});

export const CONTINUE = { settings: { onError: 'continueRegularOutput' as const } };

/** n8n 1.x itself leaves the bytes of a stream that failed, but without the record that makes a file of them. */
const isHalfFileOf1x = (path: string): boolean =>
	engineVersion.startsWith('1.') && path.includes('/binary_data/') && !path.endsWith('.metadata') && !existsSync(`${path}.metadata`);

/** Every file n8n keeps on disk. */
export const storedFiles = (): string[] =>
	readdirSync(String(process.env.N8N_USER_FOLDER), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => `${parentPath}/${name}`)
		.filter((path) => !isHalfFileOf1x(path))
		.sort();
