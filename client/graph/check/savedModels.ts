import { isRecord, type JsonRecord, listOf } from '../../decode';

/** A model as a saved workflow tells of it: templates and careful authors write where it is to be had. */
export interface SavedModel {
	url?: string;
	/** Below ComfyUI's folder `models`. */
	directory?: string;
}

const LONGEST = 2_000;
const textOf = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' && value.length <= LONGEST ? value : undefined;

/** The nodes of all levels. */
function* nodesOf(workflow: JsonRecord): Generator<JsonRecord> {
	const subgraphs = isRecord(workflow.definitions) ? listOf(workflow.definitions.subgraphs) : [];
	for (const level of [workflow, ...subgraphs]) yield* isRecord(level) ? listOf(level.nodes).filter(isRecord) : [];
}

/** By file name; of the editor's format only, the other has no place for it. */
export function savedModels(workflow: unknown): Map<string, SavedModel> {
	const models = new Map<string, SavedModel>();
	if (!isRecord(workflow)) return models;
	const ofNodes = [...nodesOf(workflow)].flatMap(({ properties }) => (isRecord(properties) ? listOf(properties.models) : []));
	for (const model of [...ofNodes, ...listOf(workflow.models)]) {
		const name = isRecord(model) ? textOf(model.name) : undefined;
		if (!isRecord(model) || name === undefined || models.has(name)) continue;
		models.set(name, { url: textOf(model.url), directory: textOf(model.directory) });
	}
	return models;
}
