import type { INodeProperties } from 'n8n-workflow';

import { type FilePlace, filePlace, pathOf, type RouterInputSchema } from '../../../client';
import { inputFile } from '../../shared/binaryFields';
import { ItemFault } from '../../shared/operations';
import { requiredText } from '../../shared/parameters';
import type { RouterContext } from '../../shared/routerConnect';

const MEBIBYTE = 1024 * 1024;
/** It travels inside the request, a third larger, and is held in memory. */
const LARGEST_FILE_MIB = 48;
const FILE_LABEL = 'Binary Field under Input Files';

export interface FileRow {
	field: string;
	binaryField: string;
}

export interface PlacedFile {
	path: Array<string | number>;
	/** As it was entered. */
	field: string;
	place: FilePlace;
	dataUri: string;
}

export const inputFiles: INodeProperties = {
	displayName: 'Input Files',
	name: 'inputFiles',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Input File',
	default: {},
	description: 'Files of the input item to send inside the request, for inputs that take an address or a data URI',
	options: [
		{
			displayName: 'File',
			name: 'values',
			values: [
				{
					displayName: 'Input',
					name: 'field',
					type: 'string',
					default: '',
					placeholder: 'e.g. image_url or messages[0].image',
					description: 'Name of the model’s input that takes the file; a list gets it added',
				},
				{
					displayName: 'Binary Field',
					name: 'binaryField',
					type: 'string',
					default: 'data',
					description: 'Name of the input item’s binary field that holds the file',
				},
			],
		},
	],
};

async function dataUriOf({ execution, itemIndex }: RouterContext<unknown>, field: string): Promise<string> {
	const { source, contentType, fileName } = await inputFile(execution, itemIndex, field, FILE_LABEL);
	if ((source.sizeBytes ?? 0) > LARGEST_FILE_MIB * MEBIBYTE) {
		throw new ItemFault(`"${fileName || field}" is too large to be sent inside the request`, `Nothing was sent. Files up to ${LARGEST_FILE_MIB} MiB can be; give the model the address of a larger one.`);
	}
	const chunks: Buffer[] = [];
	for await (const chunk of await source.open()) chunks.push(Buffer.from(chunk));
	return `data:${contentType};base64,${Buffer.concat(chunks).toString('base64')}`;
}

function placeOf(schema: RouterInputSchema | undefined, field: string, path: PlacedFile['path']): PlacedFile['place'] {
	if (schema?.schema === undefined || !schema.authored) return 'dataUri';
	const place = filePlace(schema.schema, schema.document, path);
	if (place !== undefined) return place;
	throw new ItemFault(`The model’s input "${field}" takes no file`, 'Nothing was sent. Correct Input under Input Files; the operation Get Input Schema shows what the model takes.');
}

/** Each row's file as a data URI, and where in the body it belongs. @throws ItemFault for what takes no file. */
export async function placedFiles(context: RouterContext<unknown>, rows: FileRow[], schema: RouterInputSchema | undefined): Promise<PlacedFile[]> {
	const placed: PlacedFile[] = [];
	for (const row of rows) {
		const field = requiredText(row.field, 'Input under Input Files');
		const path = pathOf(field);
		if (path === undefined) throw new ItemFault(`"${field}" under Input Files names no input`, 'Nothing was sent. Write the input’s name, e.g. image_url or messages[0].image.');
		const place = placeOf(schema, field, path);
		placed.push({ path, field, place, dataUri: await dataUriOf(context, requiredText(row.binaryField, FILE_LABEL)) });
	}
	return placed;
}
