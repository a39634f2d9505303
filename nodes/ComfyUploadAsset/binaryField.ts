import type { INodeProperties } from 'n8n-workflow';

import type { UploadSource } from '../../client';
import { inputFile } from '../shared/files/binaryFields';
import { showFor } from '../shared/descriptions/common';
import { safeFileName } from '../shared/files/safeFileName';
import type { ItemContext } from '../shared/operation';
import { enteredText, type ReadParameter } from '../shared/parameters';

const LABEL = 'Input Binary Field';

export const binaryFieldOf = (...operations: string[]): INodeProperties => ({
	displayName: LABEL,
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	required: true,
	hint: 'The name of the input binary field that holds the file',
	displayOptions: showFor(...operations),
});

export const binaryFieldName = (read: ReadParameter): string => enteredText(read<unknown>('binaryPropertyName'), LABEL);

/** The input item's file and its own name, made safe. */
export async function fileToSend(
	{ execution, itemIndex, settings: { binaryField } }: ItemContext<{ binaryField: string }>,
	fallbackName: string,
): Promise<{ source: UploadSource; name: string }> {
	const { source, fileName, contentType } = await inputFile(execution, itemIndex, binaryField, LABEL);
	return { source, name: safeFileName(fileName, fallbackName, contentType) };
}
