import type { FastifyRequest } from 'fastify';
import type { Fault } from '../fault';

const KINDS = ['lost_socket', 'silent_socket', 'garbage_socket', 'oversized_frame'] as const;

export type SocketFault = Extract<Fault, { kind: (typeof KINDS)[number] }>;

/** The fault that an accepted socket acts out itself, if its request has one. */
export function socketFaultOf(request: FastifyRequest): SocketFault | undefined {
	const fault = request.faultRule?.fault;
	return fault !== undefined && isSocketFault(fault) ? fault : undefined;
}

const isSocketFault = (fault: Fault): fault is SocketFault => KINDS.some((kind) => kind === fault.kind);
