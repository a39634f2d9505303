import { clock } from '../clock';
import { minimalJob } from '../comfyui/jobRecords';
import { type AcceptedPrompt, decodePromptAnswer, type RejectedPrompt } from '../comfyui/rejections';
import { ApiError, StoppedError, UnknownOutcomeError } from '../errors';
import type { Job } from '../job';
import { asAttempt, decided } from '../observer';
import type { Submission, SubmitOptions } from '../ports';
import { mayHaveMadeJob, submissionBody, SubmissionLimit, SUBMIT_BUDGET_MS } from '../submission';
import { delay } from '../transport/delay';
import { STOP_LIMIT_MS, withGrace } from '../transport/grace';
import { outcomeOf } from '../transport/outcome';
import { isTransient, isUnheard, pauseMs, tellRetry } from '../transport/retry';
import type { EngineApi } from './api';
import type { ClientId } from './clientId';
import type { EarlierPrompts } from './earlierPrompts';
import { promptIdOf, withPromptId } from './promptId';
import type { EngineReader } from './reader';

const INVALID_WORKFLOW = 'invalid_workflow';

export interface SubmitParts {
	api: EngineApi;
	reader: EngineReader;
	earlier: EarlierPrompts;
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
	// An id costs nothing, and lets the job be found: also where no key is wanted.
	const jobId = promptIdOf(key ?? submissionId);
	const startedAt = clock.now();
	const limit = new SubmissionLimit(api.http.contact);
	const body = submissionBody('prompt', withPromptId(jobId, submission), { prompt_id: jobId, client_id: clientId.current });
	// A key of the user's own may have been used by an earlier execution.
	const mayBeInUse = key !== undefined && !keyIsOurs;
	let doubt = options.earlierAnswerLost ? { since: options.firstSentAt ?? clock.wallNow(), error: undefined as unknown } : undefined;

	for (let failures = 1; ; failures++) {
		const { job, error, isFinal } = await asAttempt(failures, attempt);
		if (job !== undefined) return job;
		if (error instanceof StoppedError) throw error;
		const fullPauseMs = pauseMs(error, failures);
		const time = { budgetMs: retryBudgetMs - (clock.now() - startedAt), pauseMs: fullPauseMs, mayExist: doubt !== undefined };
		const remainingMs = limit.timeLeft(error, time);
		if (isFinal || remainingMs <= 0) throw doubt === undefined ? meaningOf(error) : new UnknownOutcomeError(key, { jobId, cause: error });
		const inMs = Math.min(fullPauseMs, remainingMs);
		tellRetry(failures, inMs, error);
		await delay(inMs, signal);
	}

	async function attempt(): Promise<Tried> {
		const looked = await outcomeOf(look());
		if (!looked.ok) return { error: looked.error, isFinal: !isTransient(looked.error) };
		if (looked.value !== undefined) {
			const { job, laterId } = looked.value;
			decided({ kind: 'found_again', by: 'id', jobId: job.job_id });
			onFound?.(laterId);
			return { job };
		}
		if (doubt !== undefined) return { error: doubt.error, isFinal: clock.wallNow() - doubt.since >= retryBudgetMs };
		const sent = await outcomeOf(send());
		if (sent.ok) return { job: sent.value };
		const { error } = sent;
		if (isUnheard(error)) onNothingMade?.();
		const mayExist = error instanceof UnknownOutcomeError || mayHaveMadeJob(error);
		if (!mayExist) return { error, isFinal: !isTransient(error) };
		doubt = { since: clock.wallNow(), error };
		decided({ kind: 'looks_for_job', by: 'id', error });
		return await attempt();
	}

	/** Else for a sign of life. @throws UnknownOutcomeError where it may have been sent, and the engine does not tell. */
	async function look(): Promise<{ job: Job; laterId?: string } | undefined> {
		if (doubt !== undefined || mayBeInUse) {
			const job = await reader.findSubmitted(jobId, doubt?.since ?? mayExistSince, { signal });
			if (job !== undefined || doubt !== undefined) return job && { job };
		}
		if (mayExistSince !== undefined) return await lookBehindCrash(mayExistSince);
		return void (await api.requireAwake({ signal }));
	}

	async function lookBehindCrash(since: number): Promise<{ job: Job; laterId?: string } | undefined> {
		const names = [{ id: jobId, laterId: undefined }, ...laterIds.map((laterId) => ({ id: promptIdOf(laterId), laterId }))];
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
		// In the place of one that a stop has canceled came the next.
		return inOrder.find(({ job }) => job.status !== 'canceled') ?? inOrder.at(-1);
	}

	async function send(): Promise<Job> {
		const answer = await withGrace(signal, STOP_LIMIT_MS, async (later) => {
			onSend?.();
			return await api.call({ method: 'POST', url: api.url('/prompt'), ...body, signal: later }, decodePromptAnswer);
		});
		if (answer === undefined) throw new UnknownOutcomeError(key, { jobId });
		if ('rejection' in answer) return await refuse(answer, parts);
		reader.keepsIds = answer.jobId === jobId;
		return acceptedJob(answer);
	}
}

interface Tried {
	job?: Job;
	error?: unknown;
	/** Trying again cannot help. */
	isFinal?: boolean;
}

const acceptedJob = ({ jobId, rest }: AcceptedPrompt): Job => ({ ...rest, ...minimalJob(jobId, 'engine', 'queued', 'pending') });

/** A part of the graph may have been accepted: it is refused as a whole. */
async function refuse({ rejection, jobId }: RejectedPrompt, { withdraw }: SubmitParts): Promise<never> {
	if (jobId !== undefined) await outcomeOf(withdraw(jobId));
	throw new ApiError({
		interface: 'engine',
		code: INVALID_WORKFLOW,
		status: 200,
		message: rejection.message ?? INVALID_WORKFLOW,
		details: rejection.details,
	});
}

function meaningOf(error: unknown): unknown {
	if (!(error instanceof ApiError) || error.status !== 400) return error;
	const { message, details, requestId } = error;
	return new ApiError({ interface: 'engine', code: INVALID_WORKFLOW, status: 400, message, details, requestId });
}
