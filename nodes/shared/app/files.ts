import { type ApiGraph, type GraphInput, listOfferedFiles } from '../../../client';
import { definitionsAtRun } from '../inputs/definitions';
import type { FileRow } from '../inputFiles/rows';
import { noSuchFile } from '../messages/app';
import type { ItemContext } from '../operation';
import { ItemFault } from '../itemFault';

export type AppContext = Pick<ItemContext<unknown>, 'execution' | 'itemIndex' | 'connection' | 'credential' | 'signal' | 'isTool'>;

/** Files of other folders than those that the list is of: the service looks itself. */
const IS_PLACED = /[/\\]|\[(input|output|temp)\]$/;
const HAS_EXTENSION = /\.\w{1,10}$/;

const binaryFields = ({ execution, itemIndex }: AppContext): string[] => Object.keys(execution.getInputData()[itemIndex]?.binary ?? {});

/** Undefined where nobody tells which files the service has. */
async function isThere(context: AppContext, graph: ApiGraph, place: GraphInput, name: string): Promise<boolean | undefined> {
	const node = graph[place.nodeId];
	// It may have been put there a moment ago.
	for (const olderThanMs of [Infinity, 0]) {
		const offered = node && listOfferedFiles(await definitionsAtRun(context, [node.class_type], { olderThanMs }), node, place.input);
		if (offered === undefined) return undefined;
		if (offered.includes(name)) return true;
	}
	return false;
}

/**
 * A file by what was entered for it: the name of the item's binary field, else a URL, else a file that the service has.
 * @throws ItemFault for what is none of them.
 */
export async function fileRow(context: AppContext, graph: ApiGraph, place: GraphInput, label: string, value: unknown): Promise<FileRow> {
	const row = { name: place.name, label, number: 0, called: `${label} of App Inputs` };
	const given = typeof value === 'string' ? value.trim() : value;
	if (typeof given !== 'string' || given.startsWith('{')) return { ...row, from: 'reference', value: given };
	const fields = binaryFields(context);
	if (!context.isTool && fields.includes(given)) return { ...row, from: 'binary', value: given };
	if (/^https?:\/\//i.test(given)) return { ...row, from: 'url', value: given };
	const told = IS_PLACED.test(given) ? true : await isThere(context, graph, place, given);
	if (told ?? HAS_EXTENSION.test(given)) return { ...row, from: 'reference', value: given };
	const { message, advice } = noSuchFile(label, given, context.isTool ? [] : fields, told === false);
	throw new ItemFault(message, advice);
}
