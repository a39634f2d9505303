import { ItemFault } from '../operations';

const TIME_ADVICE = 'If nobody stopped it, its time was over: raise Timeout Workflow in the settings of the workflow, or give it fewer items at a time.';

/**
 * n8n does not tell its nodes whether it was a person or the time limit that ended the execution.
 * @param begun how many items were, from the first on.
 */
export function stoppedFault(begun: number, itemCount: number): ItemFault {
	if (begun === 0) return new ItemFault('The execution was stopped before this node began', TIME_ADVICE);
	if (begun === itemCount) return new ItemFault('The execution was stopped before this node was finished', TIME_ADVICE);
	const last = itemCount - 1;
	const left = begun === last ? `item ${last} was` : `items ${begun} to ${last} were`;
	return new ItemFault(`The execution was stopped: ${left} not begun`, `Nothing was sent for ${begun === last ? 'it' : 'them'}. ${TIME_ADVICE}`);
}
