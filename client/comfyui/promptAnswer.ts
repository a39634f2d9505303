import { type JsonRecord, requireRecord, textOr, without } from '../decode';
import { hasEntries, nodeErrorsOf, refusalWords, type RefusalWords } from './refusalWords';

export interface AcceptedPrompt {
	jobId: string;
	/** Its first status, in the service's words. */
	word: string;
	/** Whatever else was said, `number` for one. */
	rest: JsonRecord;
}

export interface RefusedPrompt {
	refused: RefusalWords;
	/** Given all the same when a part of the graph passed. */
	jobId: string | undefined;
}

export type PromptAnswer = AcceptedPrompt | RefusedPrompt;

const SENTENCE = 'The workflow was refused; the nodes say why';

/**
 * An accepted prompt has an id, and no errors. One with errors is refused even where a part of the graph runs.
 * @returns undefined when it says neither.
 * @throws ShapeError when this is no object.
 */
export function decodePromptAnswer(value: unknown): PromptAnswer | undefined {
	const answer = requireRecord(value, 'answer');
	const jobId = textOr(answer.prompt_id, undefined);
	if (!hasEntries(answer.node_errors) && !isSaid(answer.error)) {
		return jobId === undefined
			? undefined
			: { jobId, word: textOr(answer.status, 'submitted'), rest: without(answer, 'prompt_id', 'error', 'node_errors') };
	}
	const { message = SENTENCE, code, details } = refusalWords(answer);
	const all = { ...details, node_errors: nodeErrorsOf(answer), ...(jobId !== undefined && { prompt_id: jobId }) };
	return { refused: { code, message, details: all }, jobId };
}

const isSaid = (error: unknown): boolean =>
	typeof error === 'object' ? hasEntries(error) : error !== undefined && error !== '' && error !== false;
