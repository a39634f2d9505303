import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { type ApiGraph, findNodeTitle, type Job } from '../../client';
import { binaryOf, isLost, outputRecord } from '../shared/jobs/download/download';
import type { LostOutput, SavedOutput } from '../shared/jobs/download/save';
import type { DownloadSettings } from '../shared/jobs/download/settings';
import { jobIds } from '../shared/jobs/jobItems';
import type { ItemResult } from '../shared/operation';

type Output = SavedOutput | LostOutput;

/** A run, as its items tell of it. */
export interface FinishedRun {
	job: Job;
	graph: ApiGraph;
	/** `seed` and `seeds`, `idempotency_key` and more. */
	facts: IDataObject;
	/** What was wanted of the job's outputs, and saved as far as it was there. */
	all: Output[];
}

const titleOf = (graph: ApiGraph, nodeId: string): string | null => findNodeTitle(graph, nodeId) ?? graph[nodeId]?.class_type ?? null;

/** What people look for comes first, then the run, then what programs may want. */
function fileOf({ graph }: FinishedRun, one: Output, field: string, run: IDataObject = {}): IDataObject {
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

const runOf = ({ job, facts: { seeds, idempotency_key, ...facts } }: FinishedRun): IDataObject => ({
	...facts,
	...jobIds(job),
	...(idempotency_key !== undefined && { idempotency_key }),
	seeds,
});

const isShownText = (one: Output): boolean => !isLost(one) && typeof one.output.text === 'string' && one.output.url === null;

const allTexts = (all: Output[]): string => all.flatMap(({ output: { text } }) => (typeof text === 'string' ? [text] : [])).join('\n\n');

function onOneItem(run: FinishedRun, binaryField: string): ItemResult {
	const field = (index: number) => `${binaryField}_${index}`;
	const outputs = run.all.map((one, index) => fileOf(run, one, field(index)));
	const text = allTexts(run.all);
	const binary = Object.assign({}, ...run.all.map((one, index) => binaryOf(one, field(index)))) as IBinaryKeyData;
	return { json: { ...(text !== '' && { text }), ...runOf(run), outputs }, binary };
}

/** What *Done* gives for a job that succeeded: an item for each output, or one with all; texts without files are one as well. */
export function doneItems(
	run: FinishedRun,
	{ outputMode, binaryField }: Pick<DownloadSettings, 'outputMode' | 'binaryField'>,
): ItemResult | ItemResult[] {
	const { all } = run;
	const isOne = all.length === 0 || outputMode === 'singleItem' || (all.length > 1 && all.every(isShownText));
	if (isOne) return onOneItem(run, binaryField);
	return all.map((one) => ({ json: fileOf(run, one, binaryField, runOf(run)), binary: binaryOf(one, binaryField) }));
}
