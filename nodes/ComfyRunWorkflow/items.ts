import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { type ApiGraph, type Job, nodeTitle } from '../../client';
import { binaryOf, isLost, outputRecord } from '../shared/jobs/download/download';
import type { LostOutput, SavedOutput } from '../shared/jobs/download/save';
import type { DownloadSettings } from '../shared/jobs/download/settings';
import { jobIds } from '../shared/jobs/jobItems';
import type { ItemResult } from '../shared/operation';

type Output = SavedOutput | LostOutput;

/** What the output items report. */
export interface FinishedRun {
	job: Job;
	graph: ApiGraph;
	/** Such as `seed`, `seeds` and `idempotency_key`. */
	facts: IDataObject;
	/** The wanted outputs. Those that could not be saved have a fault. */
	all: Output[];
}

const titleOf = (graph: ApiGraph, nodeId: string): string | null => nodeTitle(graph, nodeId) ?? graph[nodeId]?.class_type ?? null;

/** What people look for comes first, then the run, then what programs may need. */
function outputFields({ graph }: FinishedRun, one: Output, field: string, run: IDataObject = {}): IDataObject {
	const { name, type, content_type, size_bytes, node_id, text, reference, binary_field, file_name, ...rest } = outputRecord(one, field);
	const node_title = titleOf(graph, String(node_id));
	return {
		name,
		type,
		content_type,
		size_bytes,
		node_id,
		node_title,
		...(text !== undefined && { text }),
		...run,
		binary_field,
		file_name,
		reference,
		...rest,
	};
}

const runFields = ({ job, facts: { seeds, idempotency_key, ...facts } }: FinishedRun): IDataObject => ({
	...facts,
	...jobIds(job),
	...(idempotency_key !== undefined && { idempotency_key }),
	seeds,
});

const isTextOnly = (one: Output): boolean => !isLost(one) && typeof one.output.text === 'string' && one.output.url === null;

const joinTexts = (all: Output[]): string => all.flatMap(({ output: { text } }) => (typeof text === 'string' ? [text] : [])).join('\n\n');

function toSingleItem(run: FinishedRun, binaryField: string): ItemResult {
	const field = (index: number) => `${binaryField}_${index}`;
	const outputs = run.all.map((one, index) => outputFields(run, one, field(index)));
	const text = joinTexts(run.all);
	const binary = Object.assign({}, ...run.all.map((one, index) => binaryOf(one, field(index)))) as IBinaryKeyData;
	return { json: { ...(text !== '' && { text }), ...runFields(run), outputs }, binary };
}

/** The items at *Done*: one for each output, or one with all of them. Several texts without files are one item, too. */
export function doneItems(
	run: FinishedRun,
	{ outputMode, binaryField }: Pick<DownloadSettings, 'outputMode' | 'binaryField'>,
): ItemResult | ItemResult[] {
	const { all } = run;
	const isSingle = all.length === 0 || outputMode === 'singleItem' || (all.length > 1 && all.every(isTextOnly));
	if (isSingle) return toSingleItem(run, binaryField);
	return all.map((one) => ({ json: outputFields(run, one, binaryField, runFields(run)), binary: binaryOf(one, binaryField) }));
}
