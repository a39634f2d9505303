import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { outcomeOf } from '../../../client';
import { withService } from '../connect/editorConnections';
import { NO_MODEL_FOLDERS } from '../messages/topics/server';
import { addLinks, toErrorEntry, keepChosenFirst, matchesWords, toNoticeEntry, splitWords } from './entries';

async function readFolders(editor: ILoadOptionsFunctions): Promise<string[] | undefined> {
	return await withService(editor, { needsControl: true }, async (connection) =>
		connection.interface === 'engine' ? (await connection.maintenance.modelFolders()).sort() : undefined,
	);
}

/** Lists the folders of ComfyUI that hold models. */
export async function searchModelFolders(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
	const words = splitWords(filter);
	const folders = await outcomeOf(readFolders(this));
	if (!folders.ok) return { results: [toErrorEntry(folders.error)] };
	if (folders.value === undefined) return { results: [toNoticeEntry(NO_MODEL_FOLDERS)] };
	const entries = folders.value.map((name) => ({ name, value: name }));
	return {
		results:
			words.length === 0
				? keepChosenFirst(this, ['folder'], entries)
				: addLinks(
						this,
						entries.filter((entry) => matchesWords(entry, words)),
					),
	};
}
