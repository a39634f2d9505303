/** Queued delivery: submit, status, result, cancel. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readKey } from '../http/routes';
import { factsOf, invalidInput, keyConflict, notEnabled, requestNotFound, RouterRefusal, setHeaders, stillRunning } from './refusals';
import { authorize, deliver, validateCall } from './call';
import type { ModelParams } from './model';
import { fingerprintOf } from './keyRecords';
import { MODEL_PATH } from './runRoute';
import type { RouterService } from './routerService';
import type { QueuedRequest } from './requestQueue';

const REQUEST_PATH = `${MODEL_PATH}/requests/:id`;

type RequestParams = ModelParams & { id: string };

/** Why the request failed. Its result may be stored nevertheless. */
function failureOf({ outcome, order }: QueuedRequest): string | undefined {
	if (outcome === undefined) return undefined;
	return 'error' in outcome ? factsOf(outcome.error).bucket : order.model.queuedEnd;
}

export function routerQueueRoutes(app: FastifyInstance, router: RouterService): void {
	const { queue, behaviour } = router;
	const find = (request: FastifyRequest<{ Params: RequestParams }>): QueuedRequest => {
		const account = authorize(request, router);
		const { provider, model, id } = request.params;
		const found = queue.find(id);
		if (found === undefined || found.order.account !== account || found.order.model.id !== `${provider}/${model}`)
			throw requestNotFound('No such request');
		return found;
	};
	const kept = (queued: QueuedRequest): QueuedRequest => {
		if (!queue.hasAgedOut(queued)) return queued;
		throw new RouterRefusal({ status: 410, bucket: 'request_not_found', detail: 'The result is no longer kept' });
	};
	const present = (request: FastifyRequest, queued: QueuedRequest, reply: FastifyReply) => {
		const base = `${router.address()}${request.url.slice(0, 3)}/models/${queued.order.model.id}/requests/${queued.id}`;
		const failure = failureOf(queued);
		if (queued.status !== 'COMPLETED') reply.header('retry-after', behaviour.routerRetryAfterSeconds);
		return {
			request_id: queued.id,
			status: queued.status,
			...(queued.status === 'IN_QUEUE' && { queue_position: queue.positionOf(queued) }),
			status_url: `${base}/status`,
			response_url: base,
			cancel_url: `${base}/cancel`,
			...(failure !== undefined && { error_type: failure }),
		};
	};

	app.post<{ Params: ModelParams; Querystring: Record<string, string> }>(`${MODEL_PATH}/requests`, (request, reply) => {
		const account = authorize(request, router);
		const key = readKey(request, invalidInput);
		const { id, givesBytes } = router.catalog.find(request.params);
		const fingerprint = fingerprintOf({ kind: 'queued', model: id, query: request.query, body: request.body });
		const earlier = key === undefined ? undefined : router.records.find(account, key);
		if (earlier !== undefined && earlier.fingerprint !== fingerprint)
			throw keyConflict('This Idempotency-Key was used for another request');
		if (earlier !== undefined) {
			const queued = queue.find(earlier.requestId ?? '');
			if (queued === undefined) throw stillRunning(behaviour.routerRetryAfterSeconds);
			return reply
				.code(201)
				.header('Idempotent-Replayed', 'true')
				.send(present(request, queued, reply));
		}
		if (givesBytes) throw notEnabled('Models that give raw bytes cannot be queued');
		const call = { ...validateCall(request, account, router), fallback: true };
		const queued = queue.submit({ ...call, idempotencyKey: key, requestId: String(reply.getHeader(behaviour.requestIdHeader)) });
		if (key !== undefined) router.records.claim(account, key, fingerprint).requestId = queued.id;
		return reply.code(201).send(present(request, queued, reply));
	});

	app.get<{ Params: RequestParams }>(`${REQUEST_PATH}/status`, (request, reply) =>
		reply.send(present(request, kept(find(request)), reply)),
	);

	app.get<{ Params: RequestParams }>(REQUEST_PATH, (request, reply) => {
		const queued = kept(find(request));
		const { outcome, generation } = queued;
		if (outcome === undefined) return reply.code(202).send(present(request, queued, reply));
		if ('error' in outcome || generation === undefined) throw 'error' in outcome ? outcome.error : requestNotFound('No such request');
		return deliver(reply, { result: outcome.result, generation, replayed: false }, router);
	});

	app.put<{ Params: RequestParams }>(`${REQUEST_PATH}/cancel`, (request, reply) => {
		const queued = find(request);
		if (queue.cancel(queued)) return reply.code(202).send({ request_id: queued.id, status: 'CANCELLATION_REQUESTED' });
		setHeaders(reply, { 'X-Vendor-Error-Type': 'invalid_input' }, behaviour);
		return reply.code(409).send({
			request_id: queued.id,
			status: 'ALREADY_COMPLETED',
			detail: 'The request has completed already',
			error_type: 'invalid_input',
		});
	});
}
