import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { wordsFor } from '../messages/wordsFor';
import { missingWords, type AppForm, fieldsOf } from './fields';
import { appInEditor } from './inEditor';

/** n8n shows it as HTML. */
const asText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const instead = (notice: string): ResourceMapperFields => ({ fields: [], emptyFieldsNotice: asText(notice) });

const NO_APP = 'This workflow is no app: its author has chosen no inputs in ComfyUI’s App Mode. Choose what to change under Inputs, below.';

const isForm = (value: unknown): value is AppForm => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The author's form; in its place, where there is none, a line that says why. It never throws: n8n would show nothing at all. */
export async function appInputFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	try {
		const found = await appInEditor(this);
		if ('why' in found) return instead(found.why);
		const { app, graph } = found.workflow;
		if (app === undefined) return instead(NO_APP);
		const before: unknown = this.getCurrentNodeParameter('appInputs');
		const fields = fieldsOf(app, graph, found.of, isForm(before) ? before : {});
		if (fields.length > 0) return { fields };
		const missing = app.missing.map(missingWords).join(', ');
		return instead(
			missing === ''
				? 'The author of this app shows its outputs only. Choose what to change under Inputs, below.'
				: `What the author of this app has marked is not there: ${missing}. Choose what to change under Inputs, below.`,
		);
	} catch (error) {
		const { message, advice } = wordsFor(error);
		return instead(`${message}. ${advice}`);
	}
}
