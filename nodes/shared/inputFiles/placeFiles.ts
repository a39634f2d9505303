import { type ApiGraph, type AssetReference, type GraphInput, type InputValues, takesNoFile } from '../../../client';
import { inParallel } from '../items/inParallel';
import { findChosen } from '../inputs/chosen';
import { definitionsAtRun } from '../inputs/definitions';
import { inRow, nameOf, RowFault } from './rowFault';
import type { FileRow, FileSettings } from './rows';
import { type FileContext, fileOf, passOn, referenceOf, sendInputFile, urlOf } from './sources';

/** Of one item: several items are worked on at the same time already. */
const FILES_AT_ONCE = 2;

interface Place {
	row: FileRow;
	found: GraphInput;
	/** Sends the file where it has to be sent. */
	take(): Promise<AssetReference>;
}

const NO_FILES: ReadonlySet<string> = new Set(['prompt', 'seed', 'size']);

/** The definition is asked for only where the graph does not show what the input takes. */
async function takesNone(context: FileContext, graph: ApiGraph, { nodeId, input, role, kind }: GraphInput): Promise<boolean> {
	const node = graph[nodeId];
	if (role === 'file' || node === undefined) return false;
	if (NO_FILES.has(role) || ['integer', 'number', 'boolean'].includes(kind)) return true;
	return takesNoFile(node, input, {}) || takesNoFile(node, input, await definitionsAtRun(context, [node.class_type]));
}

async function find(context: FileContext, graph: ApiGraph, row: FileRow): Promise<GraphInput> {
	if (row.name === '') throw new RowFault(row, 'no input is chosen', 'Choose where the workflow takes the file, or remove the row.');
	const found = findChosen(graph, row);
	if (await takesNone(context, graph, found))
		throw new RowFault(
			row,
			`the input ${found.name} (${found.label}) takes no file`,
			'Choose an input of a node that loads a file, such as Load Image.',
		);
	return found;
}

function checkTwice(places: Place[]): void {
	for (const [index, { row, found }] of places.entries()) {
		const first = places.slice(0, index).find((other) => other.found.name === found.name);
		if (first !== undefined)
			throw new RowFault(row, `${nameOf(first.row)} is for the same input, ${found.name}`, 'Remove one of the two rows.');
	}
}

async function prepared(context: FileContext, row: FileRow, { limits }: GraphInput, largestBytes: number): Promise<Place['take']> {
	const kind = limits?.fileKind;
	switch (row.from) {
		case 'binary': {
			const file = await fileOf(context, row);
			return async () => await sendInputFile(context, file, kind);
		}
		case 'url': {
			const url = urlOf(row);
			return async () => await passOn(context, url, kind, largestBytes);
		}
		case 'reference': {
			const reference = referenceOf(context, row);
			return async () => reference;
		}
	}
}

/**
 * Brings the files of the rows to the service, once all rows are known to fit the workflow and the item.
 * @returns what stands in the workflow for them: for `applyInputs`.
 * @throws ItemFault that names the row; whatever the service refuses.
 */
export async function placeFiles(context: FileContext, graph: ApiGraph, { rows, largestBytes }: FileSettings): Promise<InputValues> {
	const places: Place[] = [];
	for (const row of rows) {
		places.push(
			await inRow(row, async () => {
				const found = await find(context, graph, row);
				return { row, found, take: await prepared(context, row, found, largestBytes) };
			}),
		);
	}
	checkTwice(places);
	const references = await inParallel(places, FILES_AT_ONCE, async ({ row, take }) => await inRow(row, take));
	const values: InputValues = {};
	for (const [index, { found }] of places.entries()) values[found.nodeId] = { ...values[found.nodeId], [found.input]: references[index] };
	return values;
}
