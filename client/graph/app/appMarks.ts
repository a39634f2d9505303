import { isRecord } from '../../json/decode';
import { decodePercent } from '../../text/text';
import { readId } from '../convert/editorFile';

/** What the author of an app marked in the editor, as the file stores it. */
export interface AppMarks {
	inputs: InputMark[];
	/** Ids of nodes. */
	outputs: string[];
}

export interface InputMark {
	/** The ids from the outermost node to the marked one. Has one id if the file has no path. */
	graphPath: string[];
	/** The graph that contains the node, if the file names it: the workflow or a subgraph. */
	graphId?: string;
	widget: string;
	description?: string;
}

const MOST_MARKS = 1_000;

/** @returns undefined if nothing is marked, because then the workflow is no app. */
export function readAppMarks(workflow: unknown): AppMarks | undefined {
	const extra = isRecord(workflow) ? workflow.extra : undefined;
	const data = isRecord(extra) ? extra.linearData : undefined;
	if (!isRecord(data)) return undefined;
	const toList = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]).slice(0, MOST_MARKS) : []);
	const inputs = toList(data.inputs).flatMap((entry) => readInputMark(entry) ?? []);
	const outputs = [...new Set(toList(data.outputs).flatMap((id) => readId(id) ?? []))];
	return inputs.length + outputs.length === 0 ? undefined : { inputs, outputs };
}

/** An entry is `[5, "seed"]`, `["12:3", "seed"]`, `["<graph>:5", "seed"]` or `["<graph>:5:seed", "seed"]`. */
function readInputMark(entry: unknown): InputMark | undefined {
	const [storedId, storedName, config] = Array.isArray(entry) ? (entry as unknown[]) : [];
	const id = readId(storedId);
	if (id === undefined) return undefined;
	const name = typeof storedName === 'string' ? storedName : '';
	const [first, nodeId, ...rest] = id.split(':');
	if (nodeId !== undefined && (isUuid(first) || (rest.length === 1 && decodePercent(rest[0] ?? '') === name))) {
		const widget = rest.length > 0 ? decodePercent(rest.join(':')) : name;
		return { graphPath: [decodePercent(nodeId)], graphId: first, widget, ...readDescription(config) };
	}
	return name === '' ? undefined : { graphPath: id.split(':'), widget: name, ...readDescription(config) };
}

function readDescription(config: unknown): { description?: string } {
	const description = isRecord(config) && typeof config.description === 'string' ? config.description.trim() : '';
	return description === '' ? {} : { description };
}

const isUuid = (text: string | undefined): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text ?? '');
