import type { IBinaryData, IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { RouterOutput } from '../../client';
import { storeFile } from '../shared/files/binaryFields';
import { safeFileName } from '../shared/files/safeFileName';
import type { RouterContext } from '../shared/connect/routerConnect';

type BytesOutput = Extract<RouterOutput, { kind: 'bytes' }>;

export interface ItemFile {
	/** What the item says of it; completed by the field it is put in. */
	facts: IDataObject;
	/** Undefined where it could not be saved; the facts say why. */
	binary?: IBinaryData;
}

/** A model's name may hold dots, which are no extension. */
export const fileStem = (model: string): string => (model.split('/')[1] ?? 'output').replaceAll('.', '-');

/** The bytes that a model answers with, streamed into n8n's store. */
export async function bytesFile({ execution, credential }: RouterContext<unknown>, model: string, output: BytesOutput): Promise<ItemFile> {
	const contentType = (output.contentType.split(';')[0] ?? '').trim();
	const name = safeFileName(fileStem(model), 'output', contentType);
	const binary = await storeFile(execution, output.bytes, { name, contentType, announcedBytes: output.sizeBytes ?? 0 }, credential);
	return { facts: { path: '', file_name: binary.fileName ?? name, content_type: contentType }, binary };
}

/** One file is put in the field itself, several in `<field>_0`, `<field>_1`, … */
export function withFields(files: ItemFile[], field: string): { binary?: IBinaryKeyData; files: IDataObject[] } {
	const count = files.filter(({ binary }) => binary !== undefined).length;
	const binary: IBinaryKeyData = {};
	const facts = files.map((file): IDataObject => {
		if (file.binary === undefined) return file.facts;
		const name = count === 1 ? field : `${field}_${Object.keys(binary).length}`;
		binary[name] = file.binary;
		return { ...file.facts, binary_field: name };
	});
	return count === 0 ? { files: facts } : { files: facts, binary };
}
