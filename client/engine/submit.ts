import { clock } from '../clock';
import { bareJob } from '../comfyui/bareJob';
import { type AcceptedPrompt, decodePromptAnswer, type RefusedPrompt } from '../comfyui/promptAnswer';
import { ApiError, StoppedError, UnknownOutcomeError } from '../errors';
import type { Job } from '../job';
import { logDecision, withAttempt } from '../observer';
import type { Submission, SubmitOptions } from '../ports';
import { mayHaveMadeJob, submissionBody, SubmissionLimit, SUBMIT_BUDGET_MS } from '../submission';
import { delay } from '../transport/delay';
import { STOP_LIMIT_MS, withGrace } from '../transport/grace';
import { outcomeOf } from '../transport/outcome';
import { hasNoEffect, isTransient, pauseMs, reportRetry } from '../transport/retry';
import type { EngineApi } from './api';
import type { ClientId } from './clientId';
import type { EarlierPrompts } from './earlierPrompts';
import { toPromptId, withPromptId } from './promptIds';
import type { EngineReader } from './reader';

const INVALID_WORKFLOW = 'invalid_workflow';

export interface SubmitParts {
	api: EngineApi;
	reader: EngineReader;
	earlier: EarlierPrompts;
	/** The client whose socket receives the events of the job. */
	clientId: ClientId;
	/** Cancels a job that was accepted with errors. */
	withdraw(jobId: string): Promise<unknown>;
}

/**
 * Submits once, under an id that we choose. An engine accepts the same id twice, and a proxy may deliver a request long
 * after it gave up on it. So if no answer comes after bytes have left, the job is searched in the engine's queue and
 * history until the budget is over, and the prompt is never sent again. It is sent only right after the engine has
 * answered another request, so that an engine that is still starting causes no unconfirmed submission.
 * @throws ApiError if the engine rejects it; UnknownOutcomeError if a job may exist but was not found.
 */
export async function submitPrompt(parts: SubmitParts, submission: Submission, options: SubmitOptions): Promise<Job> {
	const {
		idempotencyKey: key,
		submissionId,
		signal,
		retryBudgetMs = SUBMIT_BUDGET_MS,
		keyIsOurs,
		mayExistSince,
		laterIds = [],
		onSend,
		onNothingMade,
		onFound,
	} = options;
	const { api, reader, earlier, clientId } = parts;
	// The job gets a known id even without a key, so that it can be found.
	const jobId = toPromptId(key ?? submissionId);
	const startedAt = clock.now();
	const limit = new SubmissionLimit(api.http.contact);
	const body = submissionBody('prompt', withPromptId(jobId, submission), { prompt_id: jobId, client_id: clientId.current });
	// An earlier execution may have used a key that the user entered.
	const mayBeInUse = key !== undefined && !keyIsOurs;
	let doubt = options.earlierAnswerLost ? { since: options.firstSentAt ?? clock.wallNow(), error: undefined as unknown } : undefined;

	for (let failures = 1; ; failures++) {
		const { job, error, isFinal } = await withAttempt(failures, attempt);
		if (job !== undefined) return job;
		if (error instanceof StoppedError) throw error;
		const fullPauseMs = pauseMs(error, failures);
		const time = { budgetMs: retryBudgetMs - (clock.now() - startedAt), pauseMs: fullPauseMs, mayExist: doubt !== undefined };
		const remainingMs = limit.timeLeft(error, time);
		if (isFinal || remainingMs <= 0)
			throw doubt === undefined ? toSubmitError(error) : new UnknownOutcomeError(key, { jobId, cause: error });
		const inMs = Math.min(fullPauseMs, remainingMs);
		reportRetry(failures, inMs, error);
		await delay(inMs, signal);
	}

	async function attempt(): Promise<AttemptResult> {
		const looked = await outcomeOf(look());
		if (!looked.ok) return { error: looked.error, isFinal: !isTransient(looked.error) };
		if (looked.value !== undefined) {
			const { job, laterId } = looked.value;
			logDecision({ kind: 'found_again', by: 'id', jobId: job.job_id });
			onFound?.(laterId);
			return { job };
		}
		if (doubt !== undefined) return { error: doubt.error, isFinal: clock.wallNow() - doubt.since >= retryBudgetMs };
		const sent = await outcomeOf(send());
		if (sent.ok) return { job: sent.value };
		const { error } = sent;
		if (hasNoEffect(error)) onNothingMade?.();
		const mayExist = error instanceof UnknownOutcomeError || mayHaveMadeJob(error);
		if (!mayExist) return { error, isFinal: !isTransient(error) };
		doubt = { since: clock.wallNow(), error };
		logDecision({ kind: 'looks_for_job', by: 'id', error });
		return await attempt();
	}

	/**
	 * Looks for the job of an earlier attempt. If there was none, it checks that the engine answers.
	 * @throws UnknownOutcomeError if the submission may have been sent and the engine does not say.
	 */
	async function look(): Promise<{ job: Job; laterId?: string } | undefined> {
		if (doubt !== undefined || mayBeInUse) {
			const job = await reader.findSubmitted(jobId, doubt?.since ?? mayExistSince, { signal });
			if (job !== undefined || doubt !== undefined) return job && { job };
		}
		if (mayExistSince !== undefined) return await lookBehindCrash(mayExistSince);
		return void (await api.requireAwake({ signal }));
	}

	async function lookBehindCrash(since: number): Promise<{ job: Job; laterId?: string } | undefined> {
		const names = [{ id: jobId, laterId: undefined }, ...laterIds.map((laterId) => ({ id: toPromptId(laterId), laterId }))];
		const { found, isSure } = await earlier.find(
			names.map(({ id }) => id),
			since,
			{ signal },
		);
		if (found.size === 0 && !isSure) throw new UnknownOutcomeError(key, { jobId, before: 'untold' });
		const inOrder = names.flatMap(({ id, laterId }) => {
			const job = found.get(id);
			return job === undefined ? [] : [{ job, laterId }];
		});
		// A canceled job was replaced by the next one.
		return inOrder.find(({ job }) => job.status !== 'canceled') ?? inOrder.at(-1);
	}

	async function send(): Promise<Job> {
		const answer = await withGrace(signal, STOP_LIMIT_MS, async (later) => {
			onSend?.();
			return await api.call({ method: 'POST', url: api.url('/prompt'), ...body, signal: later }, decodePromptAnswer);
		});
		if (answer === undefined) throw new UnknownOutcomeError(key, { jobId });
		if ('refused' in answer) return await rejectPrompt(answer, parts);
		reader.usesRequestedIds = answer.jobId === jobId;
		return toAcceptedJob(answer);
	}
}

interface AttemptResult {
	job?: Job;
	error?: unknown;
	/** Whether another attempt cannot help. */
	isFinal?: boolean;
}

const toAcceptedJob = ({ jobId, rest }: AcceptedPrompt): Job => ({ ...rest, ...bareJob(jobId, 'engine', 'queued', 'pending') });

/**
 * The engine may have accepted a part of the graph. The job is withdrawn, because the submission is rejected as a
 * whole.
 */
async function rejectPrompt({ refused, jobId }: RefusedPrompt, { withdraw }: SubmitParts): Promise<never> {
	if (jobId !== undefined) await outcomeOf(withdraw(jobId));
	throw new ApiError({
		interface: 'engine',
		code: INVALID_WORKFLOW,
		status: 200,
		message: refused.message ?? INVALID_WORKFLOW,
		details: refused.details,
	});
}

function toSubmitError(error: unknown): unknown {
	if (!(error instanceof ApiError) || error.status !== 400) return error;
	const { message, details, requestId } = error;
	return new ApiError({ interface: 'engine', code: INVALID_WORKFLOW, status: 400, message, details, requestId });
}
