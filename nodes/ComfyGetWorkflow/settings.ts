import { readJobId } from '../shared/descriptions/jobId';
import { enteredText, type ReadParameter } from '../shared/parameters';
import { readWorkflowSource, type WorkflowSource } from '../shared/workflows/source';

export interface GetWorkflowSettings {
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
