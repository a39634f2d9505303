import { createRequire } from 'node:module';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INodeType } from 'n8n-workflow';

import { type InputItem, runNode } from '../../../test/nodes/support/engine';
import { hostFolder } from '../../n8nHost/paths';
import type { Work } from '../contest/types';
import type { FileOptions } from './fileOptions';
import { credentialFor, executionMs, storedFile } from './n8n';
import { removeNewFiles } from './removeNewFiles';

const NAME = 'HTTP Request';
const VERSION = 4.2;

/** n8n's own node, of the pinned n8n. */
function httpRequestNode(): INodeType {
	const requireOfN8n = createRequire(realpathSync(join(hostFolder, 'node_modules/n8n/package.json')));
	const { HttpRequestV3 } = requireOfN8n('n8n-nodes-base/dist/nodes/HttpRequest/V3/HttpRequestV3.node.js') as {
		HttpRequestV3: new (base: object) => INodeType;
	};
	return new HttpRequestV3({ displayName: NAME, name: 'httpRequest', group: ['output'], description: '' });
}

function workOf(folder: string, item: InputItem, parameters: IDataObject): Work {
	const removeNew = removeNewFiles(folder);
	const run = {
		node: 'comfyUploadAsset' as const,
		credential: credentialFor('http://127.0.0.1'),
		items: [item],
		around: {
			nodes: [{ name: NAME, type: httpRequestNode(), settings: { typeVersion: VERSION, parameters: parameters as never } }],
			connections: { Start: { main: [[{ node: NAME, type: 'main' as const, index: 0 }]] } },
		},
	};
	return {
		once: async () => ({ ms: executionMs((await runNode(run)).runData, NAME) }),
		afterwards: removeNew,
	};
}

export async function uploadByHttpRequest({ origin, path, folder }: FileOptions): Promise<Work> {
	const field = (name: string, value: string) => ({ parameterType: 'formData', name, value });
	return workOf(
		folder,
		{ binary: await storedFile(path) },
		{
			method: 'POST',
			url: `${origin}/api/v2/assets`,
			sendBody: true,
			contentType: 'multipart-form-data',
			bodyParameters: {
				parameters: [
					field('content_type', 'application/octet-stream'),
					field('file_path', 'a.bin'),
					{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' },
				],
			},
			options: {},
		},
	);
}

export const downloadByHttpRequest = ({ origin, folder }: FileOptions): Work =>
	workOf(
		folder,
		{},
		{
			method: 'GET',
			url: `${origin}/api/v2/assets/a/content`,
			options: { response: { response: { responseFormat: 'file', outputPropertyName: 'data' } } },
		},
	);
