import { isRecord, type JsonRecord, listOf } from '../../json/decode';

/** Removes the link into an input from every place where the file has it. */
export function removeLink(file: JsonRecord, node: JsonRecord, inputName: string): void {
	const level = listLevels(file).find(({ nodes }) => listOf(nodes).includes(node));
	const input = listOf(node.inputs).find((one): one is JsonRecord => isRecord(one) && one.name === inputName);
	if (level === undefined || input === undefined || input.link === null || input.link === undefined) return;
	const linkId = String(input.link);
	input.link = null;
	level.links = listOf(level.links).filter((link) => String(Array.isArray(link) ? link[0] : isRecord(link) && link.id) !== linkId);
	const outputs = listOf(level.nodes).flatMap((one) => (isRecord(one) ? listOf(one.outputs) : []));
	for (const output of outputs) removeId(output, 'links', linkId);
	for (const socket of listOf(level.inputs)) removeId(socket, 'linkIds', linkId);
}

function removeId(socket: unknown, field: 'links' | 'linkIds', linkId: string): void {
	if (isRecord(socket) && Array.isArray(socket[field])) socket[field] = socket[field].filter((id) => String(id) !== linkId);
}

/** @returns the workflow itself and the insides of its subgraphs. In some files, a subgraph has a list of its own. */
export function listLevels(file: JsonRecord): JsonRecord[] {
	const levels = [file];
	for (const { definitions } of levels) if (isRecord(definitions)) levels.push(...listOf(definitions.subgraphs).filter(isRecord));
	return levels;
}
