import { isExactNumber } from '../../json/numbers';
import { isRecord } from '../../decode';

/** What the author of an app has marked, as the file has it. */
export interface Marked {
	inputs: MarkedInput[];
	/** Ids of nodes. */
	outputs: string[];
}

export interface MarkedInput {
	/** Ids from the outermost node inwards; for an id that the file writes alone, one. */
	path: string[];
	/** The graph that the file says the node stands in: the whole, or a subgraph. */
	graphId?: string;
	widget: string;
	description?: string;
}

const MOST_MARKED = 1_000;

const idOf = (value: unknown): string | undefined => {
	if (typeof value === 'number' && Number.isInteger(value)) return String(value);
	if (isExactNumber(value)) return value.value;
	return typeof value === 'string' && value !== '' ? value : undefined;
};

function decoded(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

const isUuid = (text: string | undefined): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text ?? '');

/** `[5, "seed"]`, `["12:3", "seed"]`, `["<graph>:5", "seed"]` or `["<graph>:5:seed", "seed"]`. */
function markedInput(entry: unknown): MarkedInput[] {
	const [stored, name, config] = Array.isArray(entry) ? (entry as unknown[]) : [];
	const id = idOf(stored);
	if (id === undefined) return [];
	const description =
		isRecord(config) && typeof config.description === 'string' && config.description.trim() !== ''
			? { description: config.description.trim() }
			: {};
	const [first, ...rest] = id.split(':');
	const named = typeof name === 'string' ? name : '';
	if (rest.length === 0) return named === '' ? [] : [{ path: [id], widget: named, ...description }];
	if (isUuid(first) || (rest.length === 2 && decoded(rest[1] as string) === named))
		return [
			{
				path: [decoded(rest[0] as string)],
				graphId: first,
				widget: rest.length > 1 ? decoded(rest.slice(1).join(':')) : named,
				...description,
			},
		];
	return named === '' ? [] : [{ path: id.split(':'), widget: named, ...description }];
}

/** @returns undefined where nothing is marked: the workflow is no app. */
export function markedIn(workflow: unknown): Marked | undefined {
	const extra = isRecord(workflow) ? workflow.extra : undefined;
	const data = isRecord(extra) ? extra.linearData : undefined;
	if (!isRecord(data)) return undefined;
	const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]).slice(0, MOST_MARKED) : []);
	const inputs = list(data.inputs).flatMap(markedInput);
	const outputs = [...new Set(list(data.outputs).flatMap((id) => idOf(id) ?? []))];
	return inputs.length + outputs.length === 0 ? undefined : { inputs, outputs };
}
