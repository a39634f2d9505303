import { type ApiGraph, listFileInputs } from '../../../client';
import { warnOnce } from '../hints';
import { tryFindChosenInput } from '../inputs/chosenInput';
import { messages } from '../messages/catalogue';
import { shorten } from '../messages/words';
import type { ItemRun } from '../operation';
import type { WorkflowSource } from '../workflows/source';
import type { FileRow } from './rows';

const LONGEST_NAME = 200;

/**
 * Adds a hint if the item has an image that nothing uses, although the workflow loads an image.
 * @param loaded the graph before the item changed it. An image input that has another value now is set by the item.
 */
export function hintAtUnusedImage(
	{ execution, itemIndex, isTool }: Pick<ItemRun, 'execution' | 'itemIndex' | 'isTool'>,
	source: WorkflowSource,
	{ loaded, graph, rows }: { loaded: ApiGraph; graph: ApiGraph; rows: FileRow[] },
): void {
	const used = [
		...rows.filter(({ from }) => from === 'binary').map(({ value }) => value),
		...(source.from === 'file' ? [source.field] : []),
	];
	const unused = Object.entries(execution.getInputData()[itemIndex]?.binary ?? {}).find(
		([field, { mimeType }]) => mimeType.startsWith('image/') && !used.includes(field),
	);
	if (isTool || unused === undefined) return;
	const setByRows = rows.map((row) => tryFindChosenInput(graph, row)?.name);
	const input = listFileInputs(graph).find(
		({ name, nodeId, input: of, limits, value }) =>
			limits?.fileKind === 'image' && value === loaded[nodeId]?.inputs[of] && !setByRows.includes(name),
	);
	if (input === undefined) return;
	const [field, value] = [unused[0], String(input.value)].map((text) => shorten(text, LONGEST_NAME)) as [string, string];
	warnOnce(execution, messages.IMAGE_NOT_USED(field, input.label, value), 'unused image');
}
