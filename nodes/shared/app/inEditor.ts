import type { ILoadOptionsFunctions } from 'n8n-workflow';

import type { LoadedWorkflow } from '../workflows/converted';
import { workflowInEditor } from '../workflows/inEditor';
import { isEmptyWorkflow } from '../workflows/isEmptyWorkflow';
import { isExpression, locatorValue } from '../parameters';

/** The line in place of the form, before there is a workflow. @param action what to do above: "Choose" or "Paste". */
export const whatComesFirst = (action: string): string =>
	`${action} a workflow above: if it is an app, the inputs that its author has chosen appear here.`;

/** The workflow of a node that is being set up, or why there is none: in one line that stands in place of the form. */
type InEditor = { workflow: LoadedWorkflow; of: string } | { why: string };

/** `of`: the same as long as the form is to keep what was filled in. */
export async function appInEditor(editor: ILoadOptionsFunctions): Promise<InEditor> {
	const isSaved = (editor.getCurrentNodeParameter('workflowSource') ?? 'saved') === 'saved';
	const entered = locatorValue(editor.getCurrentNodeParameter(isSaved ? 'savedWorkflow' : 'workflow'));
	if (isExpression(entered))
		return {
			why: 'The workflow comes by an expression, and is known only when the flow runs. Choose what to change under Inputs, below, By Name.',
		};
	if (isEmptyWorkflow(entered)) return { why: whatComesFirst(isSaved ? 'Choose' : 'Paste') };
	const found = await workflowInEditor(editor);
	return 'why' in found ? found : { ...found, of: isSaved ? `saved ${String(entered)}` : 'json' };
}
