import { ApiError, ConnectionError, StoppedError, UnknownOutcomeError, UnreadableAnswerError } from '../errors';
import type { Job } from '../job';
import { bareJob } from '../progress/bareJob';
import type { Submission, SubmitOptions } from '../services';
import { STOP_GRACE_MS, SUBMIT_BUDGET_MS, submissionBody } from '../submission';
import { delay } from '../transport/delay';
import { withGrace } from '../transport/grace';
import { outcomeOf } from '../transport/outcome';
import { isTransient, pauseMs } from '../transport/retry';
import { type AcceptedPrompt, decodePromptAnswer, type RefusedPrompt } from '../v1/promptAnswer';
import type { EngineApi } from './api';
import { askingFor } from './askedId';
import type { ClientId } from './clientId';
import { promptIdOf } from './promptId';
import type { EngineReader } from './reader';

const INVALID_WORKFLOW = 'invalid_workflow';

export interface SubmitParts {
	api: EngineApi;
	reader: EngineReader;
	/** Whose socket hears of the job. */
	clientId: ClientId;
	/** Takes a job back that was accepted with errors. */
	withdraw(jobId: string): Promise<unknown>;
}

/**
 * Submits once, under an id of our choice. An engine takes the same id twice, and what stands in front of it may deliver
 * a request long after it has given up on it: so once bytes have left, an answer that does not come is looked for in the
 * engine's queue and history, for as long as the budget lasts, and the prompt is never sent again. It is sent only to an
 * engine that has answered just before, so that one that is still starting leaves nothing in doubt.
 * @throws ApiError when the engine refuses; UnknownOutcomeError when a job may exist but is not found.
 */
export async function submitPrompt(parts: SubmitParts, submission: Submission, options: SubmitOptions): Promise<Job> {
	const { idempotencyKey: key, signal, retryBudgetMs = SUBMIT_BUDGET_MS, keyIsOurs, onSend } = options;
	const { api, reader, clientId } = parts;
	const jobId = promptIdOf(key);
	const startedAt = performance.now();
	const body = submissionBody('prompt', askingFor(jobId, submission), { prompt_id: jobId, client_id: clientId.current });
	// A key of the user's own may have been used by an earlier execution.
	const mayBeInUse = key !== undefined && !keyIsOurs;
	let doubt = options.earlierAnswerLost ? { since: options.firstSentAt ?? Date.now(), error: undefined as unknown } : undefined;

	for (let failures = 1; ; failures++) {
		const { job, error, isFinal } = await attempt();
		if (job !== undefined) return job;
		if (error instanceof StoppedError) throw error;
		const remainingMs = retryBudgetMs - (performance.now() - startedAt);
		if (isFinal || remainingMs <= 0) throw doubt === undefined ? meaningOf(error) : new UnknownOutcomeError(key, { jobId, cause: error });
		await delay(Math.min(pauseMs(error, failures), remainingMs), signal);
	}

	async function attempt(): Promise<Attempt> {
		const looked = await outcomeOf(look());
		if (!looked.ok) return { error: looked.error, isFinal: !isTransient(looked.error) };
		if (looked.value !== undefined) return { job: looked.value };
		if (doubt !== undefined) return { error: doubt.error, isFinal: Date.now() - doubt.since >= retryBudgetMs };
		const sent = await outcomeOf(send());
		if (sent.ok) return { job: sent.value };
		const { error } = sent;
		if (!mayHaveMadeJob(error)) return { error, isFinal: !isTransient(error) };
		doubt = { since: Date.now(), error };
		return await attempt();
	}

	/** Else for a sign of life. */
	async function look(): Promise<Job | undefined> {
		if (doubt !== undefined || mayBeInUse) return await reader.findSubmitted(jobId, { signal });
		return void (await api.requireAwake({ signal }));
	}

	async function send(): Promise<Job> {
		const answer = await withGrace(signal, STOP_GRACE_MS, async (later) => {
			onSend?.();
			return await api.call({ method: 'POST', url: api.url('/prompt'), ...body, signal: later }, decodePromptAnswer);
		});
		if (answer === undefined) throw new UnknownOutcomeError(key, { jobId });
		if ('refused' in answer) return await refuse(answer, parts);
		reader.keepsIds = answer.jobId === jobId;
		return acceptedJob(answer);
	}
}

interface Attempt {
	job?: Job;
	error?: unknown;
	/** Trying again cannot help. */
	isFinal?: boolean;
}

const acceptedJob = ({ jobId, rest }: AcceptedPrompt): Job => ({ ...rest, ...bareJob(jobId, 'engine', 'queued', 'pending') });

/** A part of the graph may have been accepted: it is refused as a whole. */
async function refuse({ refused, jobId }: RefusedPrompt, { withdraw }: SubmitParts): Promise<never> {
	if (jobId !== undefined) await outcomeOf(withdraw(jobId));
	throw new ApiError({ interface: 'engine', code: INVALID_WORKFLOW, status: 200, message: refused.message ?? INVALID_WORKFLOW, details: refused.details });
}

function meaningOf(error: unknown): unknown {
	if (!(error instanceof ApiError) || error.status !== 400) return error;
	const { message, details, requestId } = error;
	return new ApiError({ interface: 'engine', code: INVALID_WORKFLOW, status: 400, message, details, requestId });
}

/**
 * No answer, half an answer, or a failure on the way back: whoever waits for the engine has given up, not the engine. A
 * login page proves that it has not got the prompt, a 429 that a limit in front of it has refused it.
 */
function mayHaveMadeJob(error: unknown): boolean {
	if (error instanceof ConnectionError) return error.mayHaveArrived;
	if (error instanceof UnreadableAnswerError) return error.facts.status >= 500 || (error.facts.status < 300 && error.facts.reason !== 'html');
	return error instanceof UnknownOutcomeError || (error instanceof ApiError && error.status >= 500 && error.status !== 501);
}
