import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { type ApiGraph, parseGraph } from '../../../client';
import { isEmptyWorkflow, pastedWorkflow } from '../jobs/submit/workflowText';
import { wordsFor } from '../messages';
import type { Words } from '../messages/words';

/** The workflow, or why there is none to list anything of: in one line that stands in place of the list. */
type Pasted = { graph: ApiGraph } | { why: string };

const BY_NAME = 'Choose By Name and enter e.g. 6.text: id or title of the node, and name of its input.';

const isExpression = (source: unknown): boolean => typeof source === 'string' && source.startsWith('=');
const inOneLine = ({ message, advice }: Words): string => `${message}. ${advice.replace(/^Nothing was sent\.\s*/, '').split('\n')[0] ?? ''}`.trim();

/** The workflow that stands in the node that is being set up. */
export function pastedGraph(editor: Pick<ILoadOptionsFunctions, 'getCurrentNodeParameter'>): Pasted {
	if (editor.getCurrentNodeParameter('workflowSource') === 'file') return { why: `The workflow comes as a file when the node runs. ${BY_NAME}` };
	const source: unknown = editor.getCurrentNodeParameter('workflow');
	if (isExpression(source) || source === undefined || source === null) return { why: `The workflow comes by an expression, which finds nothing before the flow has run. ${BY_NAME}` };
	if (isEmptyWorkflow(source)) return { why: 'Workflow is empty: paste it there first, then choose from what it lets you change.' };
	try {
		return { graph: parseGraph(pastedWorkflow(source)) };
	} catch (error) {
		return { why: inOneLine(wordsFor(error)) };
	}
}
