import type { IExecuteFunctions } from 'n8n-workflow';

import { isExpression } from '../parameters';
import { type AppField, type AppForm, isEmpty, isLeftAsSaved } from './fields';

/** A field of the form that somebody has filled in. */
export interface EnteredField {
	id: string;
	/** The author's words when it was filled in. */
	words: string;
	/** Expressions are resolved for the item. */
	value: unknown;
	isExpression: boolean;
}

const formOf = (value: unknown): AppForm => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {});

/**
 * What is to be sent of the form: what differs from the saved values that filled it. Everything else is left to the
 * workflow as it is saved by now. Read whole: of a part n8n checks types itself, in words of its own.
 */
export function enteredFields(execution: IExecuteFunctions, itemIndex: number): EnteredField[] {
	const written = formOf(execution.getNode().parameters.appInputs);
	const { value, schema } = formOf(execution.getNodeParameter('appInputs', itemIndex, {}));
	const fields = new Map<string, AppField>((Array.isArray(schema) ? schema : []).map((field) => [field.id, field]));
	return Object.entries(value ?? {}).flatMap(([id, resolved]): EnteredField[] => {
		const field = fields.get(id);
		const raw = written.value?.[id];
		if (field?.removed === true || field?.readOnly === true || isEmpty(raw) || (field !== undefined && isLeftAsSaved(raw, field)))
			return [];
		return [{ id, words: field?.words ?? field?.displayName ?? id, value: resolved, isExpression: isExpression(raw) }];
	});
}
