/** What a fault does to one request before the service sees it. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MeteredResponse } from '../http/metered';
import { renderAnswer } from './renderAnswer';
import type { Fault, FaultAnswer, FaultRule } from '../fault';

declare module 'fastify' {
	interface FastifyRequest {
		/** The rule that hits this request. */
		faultRule: FaultRule | undefined;
	}
}

/** The fault of a kind that its route acts out itself, if this request has one. */
export function faultOf<Kind extends Fault['kind']>(request: FastifyRequest, kind: Kind): Extract<Fault, { kind: Kind }> | undefined {
	const fault = request.faultRule?.fault;
	return isKind(fault, kind) ? fault : undefined;
}

const isKind = <Kind extends Fault['kind']>(fault: Fault | undefined, kind: Kind): fault is Extract<Fault, { kind: Kind }> =>
	fault?.kind === kind;

/** Arranges the fault; returns whether the request has been answered, or cut off, already. */
export async function applyFault(rule: FaultRule, reply: FastifyReply, response: MeteredResponse): Promise<boolean> {
	const { fault, answer } = rule;
	// Its answer follows the whole request.
	if (fault?.kind === 'late_delivery') return false;
	if (fault?.kind === 'drop_before') {
		reply.hijack();
		response.destroy();
		return true;
	}
	if (fault?.kind === 'delay') await delay(fault.ms, undefined, { ref: false });
	if (fault?.kind === 'drop_after') response.interrupt({ kind: 'discard' });
	if (fault?.kind === 'truncate') response.interrupt(fault);
	if (fault?.kind === 'stall') response.interrupt({ kind: 'stall', afterBytes: fault.afterBytes ?? 0, ms: fault.ms });
	if (answer === undefined || rule.late === true) return false;
	sendAnswer(answer, reply);
	return true;
}

/** In place of the service's own. */
export function sendAnswer(answer: FaultAnswer, reply: FastifyReply): void {
	const { status, headers, body } = renderAnswer(answer);
	void reply
		.code(status)
		.headers(headers)
		.send(body === '' ? undefined : body);
}
