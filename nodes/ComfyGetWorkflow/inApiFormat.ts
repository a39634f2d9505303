import { GraphError, isRecord, outcomeOf } from '../../client';
import { wordsFor } from '../shared/messages/wordsFor';
import { keptPromptLine, noteLines } from '../shared/messages/conversion';
import type { ItemContext } from '../shared/operation';
import { ItemFault } from '../shared/itemFault';
import { askerAtRun } from '../shared/workflows/besideJobs';
import { converted } from '../shared/workflows/converted';

/** A workflow as it was read, with what is told of it. */
export interface ReadWorkflow {
	format: string;
	workflow: unknown;
	[fact: string]: unknown;
}

/** Where nobody can convert it, the same workflow with the reason: reading it was asked for first. */
export async function inApiFormat(context: ItemContext<unknown>, answer: ReadWorkflow): Promise<ReadWorkflow> {
	if (!isRecord(answer.workflow)) return answer;
	const outcome = await outcomeOf(converted(askerAtRun(context), { format: 'editor', file: answer.workflow }));
	if (!outcome.ok) {
		if (!(outcome.error instanceof GraphError || outcome.error instanceof ItemFault)) throw outcome.error;
		const { message, advice } = wordsFor(outcome.error);
		return { ...answer, not_converted: `${message}. ${advice.replace(/^Nothing was sent\. ?/, '')}` };
	}
	const { graph, notes, dynamicPrompts } = outcome.value;
	const before = Array.isArray(answer.conversion_notes) ? (answer.conversion_notes as string[]) : [];
	const lines = [...before, ...noteLines(notes), ...dynamicPrompts.map(keptPromptLine)];
	return { ...answer, format: 'api', workflow: graph, converted_from: answer.format, ...(lines.length > 0 && { conversion_notes: lines }) };
}
