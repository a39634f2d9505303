import { EmptyField } from '../itemFault';
import { locatorValue, enteredText, type ReadParameter } from '../parameters';

/** Where an item's workflow comes from, as *Workflow From* says. */
export type WorkflowSource =
	/** A path below ComfyUI's folder of workflows, a template, or a name By Name. */
	| { from: 'saved'; name: string; isByName: boolean }
	/** An object, or its text, in either format. */
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
	throw new EmptyField(
		'Saved Workflow is empty',
		'Nothing was sent. Choose a workflow that is saved in ComfyUI, or check that the expression of By Name finds one. For a workflow of another place, change Workflow From.',
	);
}

/** @throws EmptyField where nothing is chosen. */
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
