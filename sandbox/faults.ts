/** Chooses the fault of each request, and applies it. */
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { routeMatcher, type RouteTarget } from './http/recorder';
import type { Fault, FaultAnswer, FaultHandle, FaultRule } from './faultTypes';
import type { MeteredResponse } from './http/metered';

interface ActiveRule {
	rule: FaultRule;
	matches(target: RouteTarget): boolean;
	seen: number;
	used: number;
}

/** The injected faults. If several match a request, the oldest applies. */
export class FaultRules {
	#active: ActiveRule[] = [];

	/** @throws Error when the rule names no route, or nothing to do. */
	inject(rule: FaultRule): FaultHandle {
		if (rule.answer === undefined && rule.fault === undefined) throw new Error('A fault rule needs an answer or a fault');
		const active: ActiveRule = { rule, matches: routeMatcher(rule.on, rule.surface), seen: 0, used: 0 };
		this.#active.push(active);
		return {
			get used() {
				return active.used;
			},
			remove: () => {
				this.#active = this.#active.filter((other) => other !== active);
			},
		};
	}

	clear(): void {
		this.#active = [];
	}

	/** Returns the rule for this request, and counts its use. */
	take(target: RouteTarget): FaultRule | undefined {
		for (const active of this.#active) {
			const { skip = 0, times = 1 } = active.rule;
			if (active.used >= times || !active.matches(target)) continue;
			active.seen += 1;
			if (active.seen <= skip) continue;
			active.used += 1;
			return active.rule;
		}
		return undefined;
	}
}

declare module 'fastify' {
	interface FastifyRequest {
		/** The rule that applies to this request. */
		faultRule: FaultRule | undefined;
	}
}

/** The fault of this kind, if the request has one. Its route applies it. */
export function faultOf<Kind extends Fault['kind']>(request: FastifyRequest, kind: Kind): Extract<Fault, { kind: Kind }> | undefined {
	const fault = request.faultRule?.fault;
	return isKind(fault, kind) ? fault : undefined;
}

const isKind = <Kind extends Fault['kind']>(fault: Fault | undefined, kind: Kind): fault is Extract<Fault, { kind: Kind }> =>
	fault?.kind === kind;

/** Prepares the fault. @returns whether the request has already been answered or cut off. */
export async function applyFault(rule: FaultRule, reply: FastifyReply, response: MeteredResponse): Promise<boolean> {
	const { fault, answer } = rule;
	// The answer is sent once the whole request has arrived.
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

/** Sends an injected answer. */
export function sendAnswer(answer: FaultAnswer, reply: FastifyReply): void {
	const { status, headers, body } = renderAnswer(answer);
	void reply
		.code(status)
		.headers(headers)
		.send(answer.isChunked === true ? Readable.from([body]) : body === '' ? undefined : body);
}

interface RenderedAnswer {
	status: number;
	headers: Record<string, string>;
	body: string | Buffer;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** The bytes of an injected answer. */
export function renderAnswer(answer: FaultAnswer): RenderedAnswer {
	const { type, body } = renderBody(answer);
	return {
		status: answer.status,
		headers: {
			...(type !== undefined && { 'content-type': type }),
			...(answer.retryAfter !== undefined && { 'retry-after': String(answer.retryAfter) }),
			...lowerCased(answer.headers),
		},
		body,
	};
}

function renderBody(answer: FaultAnswer): { type: string | undefined; body: string | Buffer } {
	const { status, code, message = `Injected ${code ?? status}`, details } = answer;
	if (answer.body !== undefined) {
		return { type: undefined, body: typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body) };
	}
	if (answer.html === true) {
		return {
			type: 'text/html; charset=utf-8',
			body: `<!DOCTYPE html><html><head><title>${status}</title></head><body><h1>${status}</h1><p>nginx</p></body></html>`,
		};
	}
	if (answer.badJson === true) return { type: JSON_TYPE, body: '{"error":{"code":"upstr' };
	if (answer.json !== undefined) return { type: JSON_TYPE, body: JSON.stringify(answer.json) };
	if (code === undefined) return { type: undefined, body: '' };
	return { type: JSON_TYPE, body: JSON.stringify({ error: { code, message, details } }) };
}

const lowerCased = (headers: Record<string, string> = {}): Record<string, string> =>
	Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
