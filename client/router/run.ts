import type { JsonRecord } from '../decode';
import type { HttpResponse } from '../transport/response';
import type { RouterApi, RouterLimits } from './api';
import { keyedCall } from './call';
import { runFacts } from './headers';
import { modelPath } from './modelId';
import { readOutput } from './output';
import { Deadline, persist } from './persist';
import type { RouterModelId, RouterRun, RouterRunOptions } from './types';

/** @see ModelRouter.run */
export async function runModel(api: RouterApi, id: RouterModelId, input: JsonRecord, options: RouterRunOptions): Promise<RouterRun> {
	const { idempotencyKey, maxWaitMs } = options;
	const { limits } = api;
	const deadline = new Deadline(maxWaitMs);
	const call = await keyedCall(api, modelPath(id), input, options, deadline);
	const attempt = async (answerMs: number) =>
		await runOf(await api.send({ ...call, answerMs, idleMs: limits.downloadIdleMs, wholeMs: restOf(deadline, limits) }), idempotencyKey);
	return await persist(attempt, { ...options, deadline, limits, contact: api.http.contact });
}

/** For an answer that is read whole: what is left of the wait when it has begun, and at least the time of one call. */
export const restOf =
	(deadline: Deadline, { requestMs }: Pick<RouterLimits, 'requestMs'>) =>
	(): number =>
		Math.max(deadline.remainingMs, requestMs);

/** @throws UnreadableAnswerError for what is no finished run. */
export async function runOf(response: HttpResponse, idempotencyKey: string | null): Promise<RouterRun> {
	if (response.status === 200) return { facts: runFacts(response, idempotencyKey), output: await readOutput(response) };
	await response.discard();
	throw response.unreadable('unexpected');
}
