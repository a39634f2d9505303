import type { IDataObject } from 'n8n-workflow';

import { exactText, isUiFormat, withNumbersAsText } from '../../client';
import { storeFile } from '../shared/files/binaryFields';
import { safeFileName } from '../shared/files/safeFileName';
import { jobIds } from '../shared/jobs/jobItems';
import { lostNumberLines } from '../shared/messages/conversion';
import type { ItemContext, ItemResult } from '../shared/operation';
import { findWorkflow } from '../shared/workflows/load';
import type { WorkflowSource } from '../shared/workflows/source';
import { inApiFormat, type ReadWorkflow } from './inApiFormat';
import type { GetWorkflowSettings } from './settings';

/** What was read, in two parts: of the workflow, and of what it comes from. */
interface Found {
	about: IDataObject;
	answer: ReadWorkflow;
	/** Of a file of it. */
	name: string;
}

const asItem = (facts: object): IDataObject => withNumbersAsText(facts) as IDataObject;

async function* textBytes(text: string): AsyncGenerator<Uint8Array> {
	yield Buffer.from(text, 'utf8');
}

async function asFile(
	{ execution, credential, settings: { binaryField } }: ItemContext<GetWorkflowSettings>,
	{ about, answer: { workflow, ...facts }, name: stem }: Found,
): Promise<ItemResult> {
	const name = safeFileName(`${stem}.${facts.format}.json`, 'workflow.json');
	const text = exactText(workflow, 2);
	const file = { name, contentType: 'application/json', announcedBytes: text.length };
	const binary = await storeFile(execution, textBytes(text), file, credential);
	return { json: { ...about, ...asItem(facts), file_name: name }, binary: { [binaryField]: binary } };
}

async function ofJob({ connection, signal, progress }: ItemContext<GetWorkflowSettings>, jobId: string): Promise<Found> {
	progress.setJobId(jobId);
	const answer = await connection.jobs.workflow(jobId, { signal });
	progress.confirmJob(jobId);
	return { about: jobIds(await connection.jobs.get(jobId, { signal })), answer: { ...answer }, name: jobId };
}

async function elsewhere(context: ItemContext<GetWorkflowSettings>, source: WorkflowSource): Promise<Found> {
	const { workflow, title, lostNumbers } = await findWorkflow(context, source);
	const lost = lostNumberLines(lostNumbers);
	const told = lost.length === 0 ? {} : { conversion_notes: lost };
	const answer =
		workflow.format === 'api' ? { format: 'api', workflow: workflow.graph, ...told } : { format: 'save', workflow: workflow.file, ...told };
	return { about: title === undefined ? {} : { workflow_name: title }, answer, name: title ?? 'workflow' };
}

/** The workflow with its `format`: `api` is what ComfyUI runs, `save` is opened in the editor. */
export async function execute(context: ItemContext<GetWorkflowSettings>): Promise<ItemResult> {
	const { source, outputAs, isConverted } = context.settings;
	const read = source.from === 'job' ? await ofJob(context, source.jobId) : await elsewhere(context, source);
	const found = isConverted && isUiFormat(read.answer.workflow) ? { ...read, answer: await inApiFormat(context, read.answer) } : read;
	const { about, answer } = found;
	if (outputAs === 'json') return { json: { ...about, ...asItem(answer) } };
	if (outputAs === 'file') return await asFile(context, found);
	const { workflow, ...facts } = answer;
	return { json: { ...about, ...asItem(facts), workflow_text: exactText(workflow) } };
}
