/** Vendor headers, whose middle part is `Service` or `Comfy` as that of the request id. */
import type { FastifyReply } from 'fastify';
import type { Behaviour } from '../behaviour';

/** `X-Vendor-Error-Type` as this service spells it; other names stay as they are. */
export function spelled(name: string, { requestIdHeader }: Behaviour): string {
	return name.replace(/^X-Vendor-/, requestIdHeader.replace('Request-Id', ''));
}

export function setHeaders(reply: FastifyReply, headers: Record<string, string>, behaviour: Behaviour): void {
	for (const [name, value] of Object.entries(headers)) reply.header(spelled(name, behaviour), value);
}
