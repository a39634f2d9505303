import { isRecord } from '../../../client';
import { EmptyField } from '../itemFault';
import { messages } from '../messages/catalogue';
import { enteredText, locatorValue, type ReadParameter } from '../parameters';

/** The source of an item's workflow, from the field *Workflow From*. */
export type WorkflowSource =
	/** A path in ComfyUI's folder of workflows, a template, or a name that was entered By Name. */
	| { from: 'saved'; name: string; isByName: boolean }
	/** An object or its JSON text, in either format. */
	| { from: 'json'; workflow: unknown }
	| { from: 'file'; field: string }
	| { from: 'job'; jobId: string };

export const FILE_LABEL = 'Workflow File Field';
const JOB_LABEL = 'Job';

const isByName = (chosen: unknown): boolean =>
	!(typeof chosen === 'object' && chosen !== null && 'mode' in chosen && chosen.mode === 'list');

function savedName(value: unknown): string {
	const name = typeof value === 'string' ? value.trim() : '';
	if (name !== '') return name;
	throw new EmptyField(messages.SAVED_WORKFLOW_EMPTY());
}

/** @throws EmptyField if nothing is chosen. */
export function readWorkflowSource(read: ReadParameter): WorkflowSource {
	const from = read<WorkflowSource['from']>('workflowSource');
	switch (from) {
		case 'json':
			return { from, workflow: read<unknown>('workflow') };
		case 'file':
			return { from, field: enteredText(read<unknown>('workflowBinaryField'), FILE_LABEL) };
		case 'job':
			return { from, jobId: enteredText(locatorValue(read<unknown>('workflowJob')), JOB_LABEL) };
		default: {
			const chosen = read<unknown>('savedWorkflow');
			return { from: 'saved', name: savedName(locatorValue(chosen)), isByName: isByName(chosen) };
		}
	}
}

export const isEmptyWorkflow = (source: unknown): boolean =>
	source === undefined ||
	source === null ||
	(typeof source === 'string' && /^(\{\s*\})?$/.test(source.trim())) ||
	(isRecord(source) && Object.keys(source).length === 0);
