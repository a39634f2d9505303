import {
	findUploadVariant,
	takesBase64,
	type ApiGraph,
	type AssetReference,
	type Connection,
	type GraphInput,
	type InputValues,
	takesNoFile,
} from '../../../client';
import { inParallel } from '../items/inParallel';
import { findChosenInput, setInputValue } from '../inputs/chosenInput';
import { definitionReader, type ReadDefinitions } from '../inputs/definitions';
import type { ItemRun } from '../operation';
import { rejectOtherFrom } from './otherFrom';
import { messages } from '../messages/catalogue';
import { type FileRow, type FileSettings, RowFault, rowName, withRowName } from './rows';
import { readRowBase64, readRowFile, readRowReference, readRowUrl, sendFromUrl, sendInputFile } from './sendFiles';

/** The limit for one item, because several items run at the same time already. */
const FILES_AT_ONCE = 2;

/** A row that fits the workflow and the item. */
interface FilePlacement {
	row: FileRow;
	input: GraphInput;
	/** Sends the file to the service if needed. */
	send(): Promise<AssetReference>;
}

const ROLES_WITHOUT_FILES: ReadonlySet<string> = new Set(['prompt', 'seed', 'size']);

/** Reads the definition only if the graph does not show whether the input takes a file. */
async function isWithoutFile(
	readDefinitions: ReadDefinitions,
	graph: ApiGraph,
	{ nodeId, input, role, kind }: GraphInput,
): Promise<boolean> {
	const node = graph[nodeId];
	if (role === 'file' || node === undefined) return false;
	if (ROLES_WITHOUT_FILES.has(role) || ['integer', 'number', 'boolean'].includes(kind)) return true;
	return takesNoFile(node, input, {}) || takesNoFile(node, input, await readDefinitions([node.class_type]));
}

async function findFileInput(readDefinitions: ReadDefinitions, graph: ApiGraph, row: FileRow): Promise<GraphInput> {
	if (row.name === '') throw new RowFault(row, messages.FILE_INPUT_NOT_CHOSEN());
	const input = findChosenInput(graph, row);
	if (await isWithoutFile(readDefinitions, graph, input)) throw new RowFault(row, messages.INPUT_TAKES_NO_FILE(input));
	checkContent(graph, row, input);
	return input;
}

/** @throws RowFault if the input takes text that an upload cannot give: a path on the disk of the server, or Base64. */
function checkContent(graph: ApiGraph, row: FileRow, graphInput: GraphInput): void {
	const { nodeId, input } = graphInput;
	const node = graph[nodeId];
	const variant = node && findUploadVariant(node, input);
	if (variant !== undefined && row.from !== 'reference') throw new RowFault(row, messages.INPUT_TAKES_PATH(graphInput, variant));
	if (node !== undefined && takesBase64(node, input)) throw new RowFault(row, messages.INPUT_TAKES_BASE64(graphInput));
}

function checkTwice(placements: FilePlacement[]): void {
	for (const [index, { row, input }] of placements.entries()) {
		const first = placements.slice(0, index).find((other) => other.input.name === input.name);
		if (first !== undefined) throw new RowFault(row, messages.FILE_INPUT_SET_TWICE(rowName(first.row), input.name));
	}
}

async function prepareSend(
	item: ItemRun,
	connection: Connection,
	row: FileRow,
	{ limits }: GraphInput,
	largestBytes: number,
): Promise<FilePlacement['send']> {
	rejectOtherFrom(row);
	const kind = limits?.fileKind;
	switch (row.from) {
		case 'binary': {
			const file = await readRowFile(item, row);
			return async () => await sendInputFile(connection, item.signal, file, kind);
		}
		case 'base64': {
			const file = readRowBase64(row, largestBytes);
			return async () => await sendInputFile(connection, item.signal, file, kind);
		}
		case 'url': {
			const url = readRowUrl(row);
			return async () => await sendFromUrl(item, connection, url, kind, largestBytes);
		}
		case 'reference': {
			const reference = readRowReference(connection, row);
			return async () => reference;
		}
	}
}

/**
 * Sends the files of the rows to the service. Nothing is sent before all rows are known to fit the workflow and the item.
 * @param connection to the service that receives the files: a server, if the connection of the item is a pool.
 * @returns the references for the inputs, for `applyInputs`.
 * @throws ItemFault that names the row, and the errors of the service.
 */
export async function placeFiles(
	item: ItemRun,
	graph: ApiGraph,
	{ rows, largestBytes }: FileSettings,
	connection: Connection = item.connection,
): Promise<InputValues> {
	const readDefinitions = definitionReader({ connection, credential: item.credential, signal: item.signal });
	const placements: FilePlacement[] = [];
	for (const row of rows) {
		placements.push(
			await withRowName(row, async () => {
				const input = await findFileInput(readDefinitions, graph, row);
				return { row, input, send: await prepareSend(item, connection, row, input, largestBytes) };
			}),
		);
	}
	checkTwice(placements);
	const references = await inParallel(placements, FILES_AT_ONCE, async ({ row, send }) => await withRowName(row, send));
	const values: InputValues = {};
	for (const [index, { input }] of placements.entries()) setInputValue(values, input, references[index]);
	return values;
}
