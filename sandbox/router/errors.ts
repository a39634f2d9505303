/** How refusals, and injected answers, become the router's error bodies. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FaultAnswer } from '../fault';
import type { Behaviour } from '../behaviour';
import { setHeaders } from './headers';
import { RouterRefusal, type RouterRefusalFacts } from './refusal';

export function sendRefusal(reply: FastifyReply, error: unknown, behaviour: Behaviour): FastifyReply {
	const { status, bucket, detail, retryAfter, headers = {}, extra } = factsOf(error);
	setHeaders(reply, { 'X-Vendor-Error-Type': bucket, 'X-Content-Type-Options': 'nosniff', ...headers }, behaviour);
	if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
	return reply.code(status).send(typeof detail === 'string' ? { detail, error_type: bucket, ...extra } : { detail });
}

/** @returns the facts of a refusal; what is none is an internal error. */
export function factsOf(error: unknown): RouterRefusalFacts {
	if (error instanceof RouterRefusal) return error.facts;
	const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
	if (status >= 400 && status < 500 && error instanceof Error) return { status, bucket: 'invalid_input', detail: error.message };
	// The service hides such causes from callers; whoever runs the sandbox should see them.
	process.emitWarning(error instanceof Error ? error : String(error));
	return { status: 500, bucket: 'internal_error', detail: 'Internal server error' };
}

/**
 * An injected answer that names a code gets the router's body and bucket header in place of the v2 envelope;
 * a list as its `details` makes the body of a 422.
 */
export function asRouterAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown, behaviour: Behaviour): unknown {
	const answer = request.faultRule?.answer;
	if (answer?.code === undefined || !inEnvelope(answer)) return payload;
	setHeaders(reply, { 'X-Vendor-Error-Type': answer.code }, behaviour);
	const { code, message = `Injected ${code}`, details } = answer;
	return JSON.stringify(Array.isArray(details) ? { detail: details } : { detail: message, error_type: code });
}

const inEnvelope = ({ body, html, badJson, json }: FaultAnswer): boolean =>
	body === undefined && html !== true && badJson !== true && json === undefined;
