/** The open WebSockets and their faults. */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { FastifyRequest } from 'fastify';
import type { OpenSocket } from '../types';
import type { AccountName, Surface } from '../vocabulary';
import type { Fault } from '../faultTypes';

/** The time between two pings, and between two comments of an event stream. */
export const KEEP_ALIVE_MS = 15_000;

interface ConnectionFacts {
	surface: Surface;
	account: AccountName;
	clientId: string | null;
	fault: SocketFault | undefined;
}

/** One open WebSocket. It sends frames and pings, and applies its fault after enough frames. */
export class SocketConnection implements OpenSocket {
	readonly surface: Surface;
	readonly account: AccountName;
	readonly clientId: string | null;
	#framesSent = 0;
	#fault: SocketFault | undefined;
	#silent = false;

	/** @param tcp the connection below the WebSocket. */
	constructor(
		private readonly socket: WebSocket,
		private readonly tcp: Socket,
		facts: ConnectionFacts,
	) {
		this.surface = facts.surface;
		this.account = facts.account;
		this.clientId = facts.clientId;
		this.#fault = facts.fault;
		socket.on('error', () => undefined);
		const keepAlive = setInterval(() => this.#silent || socket.ping(), KEEP_ALIVE_MS);
		this.onClose(() => clearInterval(keepAlive));
		this.#applyFault();
	}

	send(frame: string | Uint8Array): void {
		if (this.#silent || this.socket.readyState !== this.socket.OPEN) return;
		this.socket.send(frame);
		this.#framesSent += 1;
		this.#applyFault();
	}

	onClose(listener: () => void): void {
		this.socket.once('close', listener);
	}

	/** Ends the TCP connection without a closing handshake. */
	destroy(): void {
		this.socket.terminate();
	}

	#applyFault(): void {
		const fault = this.#fault;
		if (fault === undefined || this.#framesSent < (fault.afterFrames ?? 0)) return;
		this.#fault = undefined;
		switch (fault.kind) {
			case 'lost_socket':
				// Frames that were sent before still arrive.
				this.#silent = true;
				this.tcp.destroySoon();
				return;
			case 'silent_socket':
				return this.#goSilent();
		}
	}

	/** TCP stays open, but nothing is read, so that pings and closing handshakes get no answer. */
	#goSilent(): void {
		this.#silent = true;
		this.tcp.removeAllListeners('data');
		this.tcp.resume();
	}
}

/** The WebSockets open at this moment, on all surfaces. */
export class OpenSockets {
	readonly #connections = new Set<SocketConnection>();

	add(connection: SocketConnection): void {
		this.#connections.add(connection);
		connection.onClose(() => this.#connections.delete(connection));
	}

	/** Oldest first; of all surfaces by default. */
	on(surface?: Surface): SocketConnection[] {
		return [...this.#connections].filter((connection) => surface === undefined || connection.surface === surface);
	}

	drop(surface?: Surface): void {
		for (const connection of this.on(surface)) connection.destroy();
	}

	send(frame: string | Uint8Array, surface?: Surface): void {
		for (const connection of this.on(surface)) connection.send(frame);
	}
}

const KINDS = ['lost_socket', 'silent_socket'] as const;

type SocketFault = Extract<Fault, { kind: (typeof KINDS)[number] }>;

/** The fault that an accepted socket applies, if its request has one. */
export function socketFaultOf(request: FastifyRequest): SocketFault | undefined {
	const fault = request.faultRule?.fault;
	return fault !== undefined && isSocketFault(fault) ? fault : undefined;
}

const isSocketFault = (fault: Fault): fault is SocketFault => KINDS.some((kind) => kind === fault.kind);
