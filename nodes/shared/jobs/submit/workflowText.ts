import { isRecord } from '../../../../client';

/** What the field *Workflow* holds at the start: an empty text would be marked red, as no JSON. */
export const EMPTY_WORKFLOW = '{}';

export const isEmptyWorkflow = (source: unknown): boolean =>
	source === undefined || source === null || (typeof source === 'string' && /^\s*(\{\s*\})?\s*$/.test(source)) || (isRecord(source) && Object.keys(source).length === 0);

/** Pasted behind, before or between the braces of the empty field. JSON itself never reads so. */
const BESIDE_EMPTY = [/^\s*\{\s*\}\s*(\{[\s\S]*)$/, /^([\s\S]*\})\s*\{\s*\}\s*$/, /^\s*\{\s*(\{[\s\S]*\})\s*\}\s*$/];

/** The workflow alone, wherever in the empty field it was pasted. */
export function pastedWorkflow(source: unknown): unknown {
	if (typeof source !== 'string') return source;
	const found = BESIDE_EMPTY.map((form) => form.exec(source)?.[1]).find((text) => text !== undefined);
	return found ?? source;
}
