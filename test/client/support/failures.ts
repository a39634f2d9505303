/** Failed responses of the three interfaces, and what the client reports for them. */
import { ApiError, type ServerConnection, UnreadableAnswerError } from '../../../client';
import { raw, useAnswers } from './answering';
import { quickGraph } from './graphs';
import type { Answer } from './server';

export type Name = 'v1' | 'v2' | 'engine';
type Call = (connection: ServerConnection) => Promise<unknown>;

export const submitting = ({ jobs }: ServerConnection) => jobs.submit({ graph: quickGraph() });
export const queueOf = async ({ control }: ServerConnection) => await control?.queue();

/** Returns the code of an ApiError, or why the answer is unreadable. */
export const understood = (error: unknown): string =>
	error instanceof ApiError ? error.code : error instanceof UnreadableAnswerError ? error.facts.reason : 'nothing';

export const PATIENT = { 'retry-after': '7' };
export const FORMS = {
	'an empty answer': (status: number) => raw(status, 'application/json', '', PATIENT),
	'a web page': (status: number) => raw(status, 'text/html', '<html>login', PATIENT),
	'plain text': (status: number) => raw(status, 'text/plain', 'upstream connect error', PATIENT),
	'half a JSON text': (status: number) => raw(status, 'application/json', '{"message":"Sa', PATIENT),
};

/** Starts a server for each interface. `failure` returns the error of a read; an engine's jobs are read from its queue. */
export function useFailures() {
	const answered = { v1: useAnswers('v1'), v2: useAnswers('v2'), engine: useAnswers('engine') };
	const failure = async (name: Name, answer: Answer, call: Call | undefined = name === 'engine' ? queueOf : undefined) =>
		await answered[name].failure(answer, call);
	return { answered, failure };
}
