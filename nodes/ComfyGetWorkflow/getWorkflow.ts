import type { IDataObject } from 'n8n-workflow';

import { exactText, type JobWorkflow, withNumbersAsText } from '../../client';
import { storeFile } from '../shared/binaryFields';
import { safeFileName } from '../shared/fileNames';
import { readJobId } from '../shared/jobId';
import { jobIds } from '../shared/jobItems';
import type { ItemContext, ItemResult, ReadParameter } from '../shared/operations';
import { requiredText } from '../shared/parameters';

export interface GetWorkflowSettings {
	jobId: string;
	outputAs: 'json' | 'text' | 'file';
	binaryField: string;
}

export function settings(read: ReadParameter): GetWorkflowSettings {
	const outputAs = read<GetWorkflowSettings['outputAs']>('outputAs');
	return {
		jobId: readJobId(read),
		outputAs,
		binaryField: outputAs === 'file' ? requiredText(read<unknown>('binaryPropertyName'), 'Put Output File In Field') : '',
	};
}

const asItem = (facts: object): IDataObject => withNumbersAsText(facts) as IDataObject;

async function* textBytes(text: string): AsyncGenerator<Uint8Array> {
	yield Buffer.from(text, 'utf8');
}

async function asFile(
	{ execution, settings: { jobId, binaryField } }: ItemContext<GetWorkflowSettings>,
	ids: IDataObject,
	{ workflow, ...facts }: JobWorkflow,
): Promise<ItemResult> {
	const name = safeFileName(`${jobId}.${facts.format}.json`, 'workflow.json');
	const text = exactText(workflow, 2);
	const file = { name, contentType: 'application/json', announcedBytes: text.length };
	const binary = await storeFile(execution, textBytes(text), file);
	return { json: { ...ids, ...asItem(facts), file_name: name }, binary: { [binaryField]: binary } };
}

/** The workflow behind a job, with its `format`: `api` can be submitted again, `save` is opened in the editor. */
export async function execute(context: ItemContext<GetWorkflowSettings>): Promise<ItemResult> {
	const { connection, settings: { jobId, outputAs }, signal, known, existing } = context;
	known.job_id = jobId;
	const answer = await connection.jobs.workflow(jobId, { signal });
	existing.add(jobId);
	const ids = jobIds(await connection.jobs.get(jobId, { signal }));
	if (outputAs === 'json') return { json: { ...ids, ...asItem(answer) } };
	if (outputAs === 'file') return await asFile(context, ids, answer);
	const { workflow, ...facts } = answer;
	return { json: { ...ids, ...asItem(facts), workflow_text: exactText(workflow) } };
}
