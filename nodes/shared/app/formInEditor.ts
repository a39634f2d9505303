import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { wordsFor } from '../explain/wordsFor';
import { inOneText } from '../messages/words';
import { isExpression, locatorValue } from '../parameters';
import type { LoadedWorkflow } from '../workflows/convert';
import { loadWorkflowInEditor } from '../workflows/inEditor';
import { isEmptyWorkflow } from '../workflows/source';
import { describeMissing, formFieldsOf, toAppForm } from './fields';

/** Returns the notice in place of the form while no workflow is chosen. @param action "Choose" or "Paste". */
export const workflowFirstNotice = (action: string): string => `${action} a workflow above. If it is an app, its inputs appear here.`;

/** The workflow of the node in the editor, or a notice in place of the form. `of` identifies the workflow that filled the form. */
type AppInEditor = { workflow: LoadedWorkflow; of: string } | { notice: string };

async function loadAppInEditor(editor: ILoadOptionsFunctions): Promise<AppInEditor> {
	const isSaved = (editor.getCurrentNodeParameter('workflowSource') ?? 'saved') === 'saved';
	const entered = locatorValue(editor.getCurrentNodeParameter(isSaved ? 'savedWorkflow' : 'workflow'));
	if (isExpression(entered))
		return {
			notice:
				'The workflow comes from an expression, so its inputs are unknown in the editor. Enter the inputs to change under Inputs below, with By Name.',
		};
	if (isEmptyWorkflow(entered)) return { notice: workflowFirstNotice(isSaved ? 'Choose' : 'Paste') };
	const loaded = await loadWorkflowInEditor(editor);
	return 'notice' in loaded ? loaded : { ...loaded, of: isSaved ? `saved ${String(entered)}` : 'json' };
}

/** n8n shows the notice as HTML. */
const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const withoutFields = (notice: string): ResourceMapperFields => ({ fields: [], emptyFieldsNotice: escapeHtml(notice) });

const NO_APP = 'This workflow is not an app: it has no inputs from App Mode of ComfyUI. Choose the inputs to change under Inputs below.';

/** Returns the author's form, or a notice that says why there is none. It never throws, because n8n would then show nothing. */
export async function appInputFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	try {
		const loaded = await loadAppInEditor(this);
		if ('notice' in loaded) return withoutFields(loaded.notice);
		const { app, graph } = loaded.workflow;
		if (app === undefined) return withoutFields(NO_APP);
		const fields = formFieldsOf(app, graph, loaded.of, toAppForm(this.getCurrentNodeParameter('appInputs')));
		if (fields.length > 0) return { fields };
		const missing = app.missing.map(describeMissing).join(', ');
		return withoutFields(
			missing === ''
				? 'This app has outputs but no inputs. Choose the inputs to change under Inputs below.'
				: `The inputs of this app are not available: ${missing}. Choose the inputs to change under Inputs below.`,
		);
	} catch (error) {
		return withoutFields(inOneText(wordsFor(error)));
	}
}
