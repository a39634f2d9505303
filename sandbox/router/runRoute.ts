/** POST of a model: runs it, or returns the result of an earlier call with the same key. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AccountName } from '../vocabulary';
import { readKey } from '../http/routes';
import { deadlineExceeded, factsOf, invalidInput, keyConflict, stillRunning } from './refusals';
import type { Generation } from './generations';
import type { Generated, ModelParams } from './model';
import type { RouterService } from './routerService';
import { authorize, deliver, validateCall } from './call';
import { fingerprintOf, type KeyRecord } from './keyRecords';

export const MODEL_PATH = '/models/:provider/:model';

interface Attempt {
	account: AccountName;
	key: string | undefined;
	record: KeyRecord | undefined;
	generation: Generation;
}

export function runRoute(app: FastifyInstance, router: RouterService): void {
	app.post<{ Params: ModelParams; Querystring: Record<string, string> }>(MODEL_PATH, async (request, reply) => {
		const account = authorize(request, router);
		const key = readKey(request, invalidInput);
		const { id } = router.catalog.find(request.params);
		const fingerprint = fingerprintOf({ kind: 'run', model: id, query: request.query, body: request.body });
		const earlier = key === undefined ? undefined : router.records.find(account, key);
		if (earlier !== undefined) return await replay(reply, { account, key, record: earlier }, fingerprint, router);
		const record = key === undefined ? undefined : router.records.claim(account, key, fingerprint);
		try {
			const requestId = String(reply.getHeader(router.behaviour.requestIdHeader));
			const generation = router.generations.start({ ...validateCall(request, account, router), idempotencyKey: key, requestId });
			if (record !== undefined) record.generation = generation;
			return await waitForResult(reply, { account, key, record, generation }, router);
		} catch (error) {
			if (key !== undefined && record?.generation === undefined) router.records.release(account, key);
			throw error;
		}
	});
}

/** Answers a repeated key. */
async function replay(
	reply: FastifyReply,
	attempt: Omit<Attempt, 'generation'> & { record: KeyRecord },
	fingerprint: string,
	router: RouterService,
): Promise<FastifyReply> {
	const { record } = attempt;
	const { generation } = record;
	if (record.fingerprint !== fingerprint) throw keyConflict('This Idempotency-Key was used for another request');
	if (record.isHeld || generation === undefined) throw stillRunning(router.behaviour.routerRetryAfterSeconds);
	record.isHeld = true;
	return await waitForResult(reply, { ...attempt, generation }, router);
}

/** Holds the connection until the result is available, or until the limit of the service. */
async function waitForResult(
	reply: FastifyReply,
	{ account, key, record, generation }: Attempt,
	router: RouterService,
): Promise<FastifyReply> {
	const replayed = record?.isDelivered === true;
	let result: Generated | 'held';
	try {
		result = await withinHold(generation, router.behaviour.routerHoldMs);
	} catch (error) {
		recordFailure(error, { account, key, record }, router);
		throw error;
	}
	if (result === 'held') {
		if (record === undefined) throw deadlineExceeded();
		record.isHeld = false;
		throw deadlineExceeded(router.behaviour.routerRetryAfterSeconds);
	}
	if (record !== undefined) {
		record.isDelivered = true;
		record.isHeld = false;
	}
	return deliver(reply, { result, generation, replayed }, router);
}

/** A refusal by policy is recorded and replayed. After any other failure, the key is free again. */
function recordFailure(error: unknown, { account, key, record }: Omit<Attempt, 'generation'>, router: RouterService): void {
	if (key === undefined || record === undefined) return;
	if (factsOf(error).bucket === 'content_policy_violation') {
		record.isDelivered = true;
		record.isHeld = false;
	} else {
		router.records.release(account, key);
	}
}

async function withinHold(generation: Generation, holdMs: number): Promise<Generated | 'held'> {
	const over = new AbortController();
	try {
		return await Promise.race([generation.result, delay(holdMs, 'held' as const, { signal: over.signal, ref: false })]);
	} finally {
		over.abort();
	}
}
