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
/** The second is Cloudflare's. */
const GATEWAY_TIMEOUTS: ReadonlySet<number> = new Set([504, 524]);

export interface SubmitParts {
	api: EngineApi;
	reader: EngineReader;
	/** Whose socket hears of the job. */
	clientId: ClientId;
	/** Takes a job back that was accepted with errors. */
	withdraw(jobId: string): Promise<unknown>;
}

/**
 * Submits once, under an id of our choice. An engine takes the same id twice, so before anything is sent again its
 * queue and history are looked through, and a job found there is the result. What may still arrive is never sent again.
 * @throws ApiError when the engine refuses; UnknownOutcomeError when a job may exist and nobody answers.
 */
export async function submitPrompt(parts: SubmitParts, submission: Submission, options: SubmitOptions): Promise<Job> {
	const { idempotencyKey: key, signal, retryBudgetMs = SUBMIT_BUDGET_MS, keyIsOurs, earlierAnswerLost = false } = options;
	const { api, reader, clientId } = parts;
	const jobId = promptIdOf(key);
	const startedAt = performance.now();
	const body = submissionBody('prompt', askingFor(jobId, submission), { prompt_id: jobId, client_id: clientId.current });
	const post = async (later: AbortSignal) => await api.call({ method: 'POST', url: api.url('/prompt'), ...body, signal: later }, decodePromptAnswer);
	// A key of the user's own may have been used by an earlier execution.
	let mustLook = earlierAnswerLost || (key !== undefined && !keyIsOurs);
	let answerLost = earlierAnswerLost;
	let onItsWay: { error: unknown } | undefined;

	for (let failures = 1; ; failures++) {
		const { job, error, isFinal } = await attempt();
		if (job !== undefined) return job;
		if (error instanceof StoppedError) throw error;
		if (isFinal) throw answerLost ? new UnknownOutcomeError(key, { cause: error }) : meaningOf(error);
		const remainingMs = retryBudgetMs - (performance.now() - startedAt);
		if (remainingMs <= 0) return await lastLook(error);
		await delay(Math.min(pauseMs(error, failures), remainingMs), signal);
	}

	async function attempt(): Promise<Attempt> {
		const looked = await outcomeOf(look());
		if (!looked.ok) return { error: looked.error, isFinal: !isTransient(looked.error) };
		if (looked.value !== undefined) return { job: looked.value };
		if (onItsWay !== undefined) return onItsWay;
		const sent = await outcomeOf(send());
		if (sent.ok) return { job: sent.value };
		answerLost = mayHaveMadeJob(sent.error);
		mustLook ||= answerLost;
		if (mayStillArrive(sent.error)) onItsWay = sent;
		return { error: sent.error, isFinal: !answerLost && !isTransient(sent.error) };
	}

	async function look(): Promise<Job | undefined> {
		return mustLook ? await reader.findSubmitted(jobId, { signal }) : undefined;
	}

	async function send(): Promise<Job> {
		const answer = await withGrace(signal, STOP_GRACE_MS, post);
		if (answer === undefined) throw new UnknownOutcomeError(key);
		if ('refused' in answer) return await refuse(answer, parts);
		reader.keepsIds = answer.jobId === jobId;
		return acceptedJob(answer);
	}

	async function lastLook(error: unknown): Promise<Job> {
		const looked = await outcomeOf(look());
		if (looked.ok && looked.value !== undefined) return looked.value;
		const isCertain = !answerLost || (looked.ok && onItsWay === undefined);
		throw isCertain ? error : new UnknownOutcomeError(key, { cause: error });
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

/** No answer, half an answer, or a failure on the way back: the engine may have accepted all the same. A login page proves that it has not. */
function mayHaveMadeJob(error: unknown): boolean {
	if (error instanceof ConnectionError) return error.mayHaveArrived;
	if (error instanceof UnreadableAnswerError) return error.facts.status >= 500 || (error.facts.status < 300 && error.facts.reason !== 'html');
	return error instanceof UnknownOutcomeError || (error instanceof ApiError && error.status >= 500 && error.status !== 501);
}

/** Whoever waits for the engine has given up, not the engine: it may take the prompt after our look. */
function mayStillArrive(error: unknown): boolean {
	if (error instanceof ConnectionError) return error.mayHaveArrived && error.trouble === 'timeout';
	return error instanceof ApiError && GATEWAY_TIMEOUTS.has(error.status);
}
