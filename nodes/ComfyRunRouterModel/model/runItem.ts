import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { type RouterOutput, withNumbersAsText } from '../../../client';
import { storeFile } from '../../shared/binaryFields';
import { safeFileName } from '../../shared/fileNames';
import type { ItemResult } from '../../shared/operations';
import type { RouterContext } from '../../shared/routerConnect';
import type { Delivered } from './collectRun';
import { type ResultFile, resultFiles } from './resultFiles';
import type { RunSettings } from './runSettings';

type BytesOutput = Extract<RouterOutput, { kind: 'bytes' }>;

/** A model's name may hold dots, which are no extension. */
const baseName = (model: string): string => (model.split('/')[1] ?? 'output').replaceAll('.', '-');

/** The bytes that a model answers with, streamed into n8n's store. */
export async function bytesFile({ execution }: RouterContext<unknown>, model: string, output: BytesOutput): Promise<ResultFile> {
	const contentType = (output.contentType.split(';')[0] ?? '').trim();
	const name = safeFileName(baseName(model), 'output', contentType);
	const binary = await storeFile(execution, output.bytes, { name, contentType, announcedBytes: output.sizeBytes ?? 0 });
	return { facts: { path: '', file_name: binary.fileName ?? name, content_type: contentType }, binary };
}

/** One file is put in the field itself, several in `<field>_0`, `<field>_1`, … */
export function withFields(files: ResultFile[], field: string): { binary?: IBinaryKeyData; files: IDataObject[] } {
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

/** The model's output as it came, with the router's facts beside it. */
export async function runItem(context: RouterContext<RunSettings>, { run: { facts, output }, model, input, isOfEarlierInput }: Delivered): Promise<ItemResult> {
	const { settings, known } = context;
	const { binaryField, downloadFiles } = settings;
	const json: IDataObject = { model, ...(facts as unknown as IDataObject) };
	if (known.queue_request_id !== undefined) json.queue_request_id = known.queue_request_id;
	if (isOfEarlierInput) json.sent_input = withNumbersAsText(input ?? null) as IDataObject | null;
	if (output.kind === 'bytes') {
		const { binary, files } = withFields([await bytesFile(context, model, output)], binaryField);
		return { json: { ...json, output: null, files }, binary };
	}
	json.output = output.value as IDataObject;
	if (!downloadFiles) return { json };
	const found = await resultFiles(context, output.value, input, baseName(model));
	if (found.length === 0) return { json };
	const { binary, files } = withFields(found, binaryField);
	return { json: { ...json, files }, binary };
}
