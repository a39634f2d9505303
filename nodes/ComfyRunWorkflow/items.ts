import type { IDataObject } from 'n8n-workflow';

import { type ApiGraph, findNodeTitle, type Job } from '../../client';
import { isLost, toBinary, toNumberedOutputs, toOutputRecord } from '../shared/jobs/download/download';
import type { SaveResult } from '../shared/jobs/download/save';
import type { DownloadSettings } from '../shared/jobs/download/settings';
import { toJobFields } from '../shared/jobs/jobItems';
import type { ItemResult } from '../shared/operation';

/** What the output items report. */
export interface FinishedRun {
	job: Job;
	graph: ApiGraph;
	/** Such as `seed`, `seeds` and `idempotency_key`. */
	facts: IDataObject;
	/** The wanted outputs. Those that could not be saved have a fault. */
	results: SaveResult[];
}

const titleOf = (graph: ApiGraph, nodeId: string): string | null => findNodeTitle(graph, nodeId) ?? graph[nodeId]?.class_type ?? null;

/** What people look for comes first, then the run, then what programs may need. */
function toResultFields({ graph }: FinishedRun, result: SaveResult, field: string, runFields: IDataObject = {}): IDataObject {
	const record = toOutputRecord(result, field);
	const { name, type, content_type, size_bytes, node_id, text, reference, binary_field, file_name, ...otherFields } = record;
	const node_title = titleOf(graph, String(node_id));
	return {
		name,
		type,
		content_type,
		size_bytes,
		node_id,
		node_title,
		...(text !== undefined && { text }),
		...runFields,
		binary_field,
		file_name,
		reference,
		...otherFields,
	};
}

const toRunFields = ({ job, facts: { seeds, idempotency_key, ...facts } }: FinishedRun): IDataObject => ({
	...facts,
	...toJobFields(job),
	...(idempotency_key !== undefined && { idempotency_key }),
	seeds,
});

const isTextOnly = (result: SaveResult): boolean => !isLost(result) && typeof result.output.text === 'string' && result.output.url === null;

const joinTexts = (results: SaveResult[]): string =>
	results
		.map(({ output }) => output.text)
		.filter((text) => typeof text === 'string')
		.join('\n\n');

function toSingleItem(run: FinishedRun, binaryField: string): ItemResult {
	const { outputs, binary } = toNumberedOutputs(run.results, binaryField, (result, field) => toResultFields(run, result, field));
	const text = joinTexts(run.results);
	return { json: { ...(text !== '' && { text }), ...toRunFields(run), outputs }, binary };
}

/** The items at *Done*: one for each output, or one with all of them. Several texts without files are one item, too. */
export function toDoneItems(
	run: FinishedRun,
	{ outputMode, binaryField }: Pick<DownloadSettings, 'outputMode' | 'binaryField'>,
): ItemResult | ItemResult[] {
	const { results } = run;
	const isSingle = results.length === 0 || outputMode === 'singleItem' || (results.length > 1 && results.every(isTextOnly));
	if (isSingle) return toSingleItem(run, binaryField);
	const runFields = toRunFields(run);
	return results.map((result) => ({
		json: toResultFields(run, result, binaryField, runFields),
		binary: toBinary(result, binaryField),
	}));
}
