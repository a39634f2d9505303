import type { IDataObject } from 'n8n-workflow';

import { exactText, GraphError, isEditorFormat, isRecord, outcomeOf, withNumbersAsText } from '../../client';
import { readJobId } from '../shared/descriptions/jobFields';
import { storeFile } from '../shared/files/storeFile';
import { safeFileName } from '../shared/files/safeFileName';
import { ItemFault } from '../shared/itemFault';
import { toJobFields } from '../shared/jobs/jobItems';
import { keptPromptLine, lostNumberLines, noteLines } from '../shared/explain/conversion';
import { wordsFor } from '../shared/explain/wordsFor';
import type { ItemRun, ItemResult } from '../shared/operation';
import { enteredText, type ReadParameter } from '../shared/parameters';
import { conversionContext } from '../shared/workflows/controlServer';
import { toApiFormat } from '../shared/workflows/convert';
import { findWorkflow } from '../shared/workflows/load';
import { readWorkflowSource, type WorkflowSource } from '../shared/workflows/source';

interface GetWorkflowSettings {
	source: WorkflowSource;
	outputAs: 'json' | 'text' | 'file';
	isConverted: boolean;
	binaryField: string;
}

function readSource(read: ReadParameter): WorkflowSource {
	return read<unknown>('workflowSource', 'job') === 'job' ? { from: 'job', jobId: readJobId(read) } : readWorkflowSource(read);
}

export function settings(read: ReadParameter): GetWorkflowSettings {
	const outputAs = read<GetWorkflowSettings['outputAs']>('outputAs');
	return {
		source: readSource(read),
		outputAs,
		isConverted: read<boolean>('convertToApi', false),
		binaryField: outputAs === 'file' ? enteredText(read<unknown>('binaryPropertyName'), 'Put Output File In Field') : '',
	};
}

/** A workflow, with facts about it. */
interface WorkflowAnswer {
	/** `api` is what ComfyUI runs, `save` is what its editor opens. */
	format: string;
	workflow: unknown;
	[fact: string]: unknown;
}

interface ReadResult {
	/** Facts about the job or the saved workflow that it comes from. */
	origin: IDataObject;
	answer: WorkflowAnswer;
	/** The name of a file with the workflow, without its extension. */
	fileStem: string;
}

async function readFromJob({ connection, signal, progress }: ItemRun, jobId: string): Promise<ReadResult> {
	progress.setJobId(jobId);
	const answer = await connection.jobs.workflow(jobId, { signal });
	progress.confirmJob(jobId);
	return { origin: toJobFields(await connection.jobs.get(jobId, { signal })), answer: { ...answer }, fileStem: jobId };
}

async function readFromSource(item: ItemRun, source: WorkflowSource): Promise<ReadResult> {
	const { workflow, title, lostNumbers, blueprint } = await findWorkflow(item, source);
	const notes = [...noteLines(blueprint?.notes ?? []), ...lostNumberLines(lostNumbers)];
	const facts = notes.length === 0 ? {} : { conversion_notes: notes };
	const answer =
		workflow.format === 'api'
			? { format: 'api', workflow: workflow.graph, ...facts }
			: { format: 'save', workflow: workflow.file, ...facts };
	return { origin: title === undefined ? {} : { workflow_name: title }, answer, fileStem: title ?? 'workflow' };
}

/** Returns the workflow in API format. If it cannot be converted, returns it unchanged with the reason. */
async function convertAnswer(item: ItemRun, answer: WorkflowAnswer): Promise<WorkflowAnswer> {
	if (!isRecord(answer.workflow)) return answer;
	const outcome = await outcomeOf(toApiFormat(conversionContext(item), { format: 'editor', file: answer.workflow }));
	if (!outcome.ok) {
		if (!(outcome.error instanceof GraphError || outcome.error instanceof ItemFault)) throw outcome.error;
		const { message, advice } = wordsFor(outcome.error);
		return { ...answer, not_converted: `${message}. ${advice.replace(/^Nothing was sent\. ?/, '')}` };
	}
	const { graph, notes, dynamicPrompts } = outcome.value;
	const earlierNotes = Array.isArray(answer.conversion_notes) ? (answer.conversion_notes as string[]) : [];
	const lines = [...earlierNotes, ...noteLines(notes), ...dynamicPrompts.map(keptPromptLine)];
	return { ...answer, format: 'api', workflow: graph, converted_from: answer.format, ...(lines.length > 0 && { conversion_notes: lines }) };
}

const toJson = (facts: object): IDataObject => withNumbersAsText(facts) as IDataObject;

async function* textBytes(text: string): AsyncGenerator<Uint8Array> {
	yield Buffer.from(text, 'utf8');
}

async function toFileItem(
	{ execution, credential }: ItemRun,
	binaryField: string,
	{ origin, answer: { workflow, ...facts }, fileStem }: ReadResult,
): Promise<ItemResult> {
	const name = safeFileName(`${fileStem}.${facts.format}.json`, 'workflow.json');
	const text = exactText(workflow, 2);
	const file = { name, contentType: 'application/json', announcedBytes: text.length };
	const binary = await storeFile(execution, textBytes(text), file, credential);
	return { json: { ...origin, ...toJson(facts), file_name: name }, binary: { [binaryField]: binary } };
}

/** Returns the workflow in the wanted form, with its format and its origin. */
export async function execute(item: ItemRun, settings: GetWorkflowSettings): Promise<ItemResult> {
	const { source, outputAs, isConverted, binaryField } = settings;
	const result = source.from === 'job' ? await readFromJob(item, source.jobId) : await readFromSource(item, source);
	if (isConverted && isEditorFormat(result.answer.workflow)) result.answer = await convertAnswer(item, result.answer);
	const { origin, answer } = result;
	if (outputAs === 'json') return { json: { ...origin, ...toJson(answer) } };
	if (outputAs === 'file') return await toFileItem(item, binaryField, result);
	const { workflow, ...facts } = answer;
	return { json: { ...origin, ...toJson(facts), workflow_text: exactText(workflow) } };
}
