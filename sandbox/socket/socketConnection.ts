import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { OpenSocket } from '../types';
import type { AccountName, Surface } from '../vocabulary';
import { GARBAGE, oversized } from './garbage';
import type { SocketFault } from './socketFault';

export interface ConnectionFacts {
	surface: Surface;
	account: AccountName;
	clientId: string | null;
	keepAliveMs: number;
	fault: SocketFault | undefined;
}

/** One open WebSocket: sends frames and pings, and acts out its fault when enough frames have gone. */
export class SocketConnection implements OpenSocket {
	readonly surface: Surface;
	readonly account: AccountName;
	readonly clientId: string | null;
	readonly openedAt = Date.now();
	framesSent = 0;
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
		const keepAlive = setInterval(() => this.#silent || socket.ping(), facts.keepAliveMs);
		this.onClose(() => clearInterval(keepAlive));
		this.#actFault();
	}

	send(frame: string | Uint8Array): void {
		if (this.#silent || this.socket.readyState !== this.socket.OPEN) return;
		this.socket.send(frame);
		this.framesSent += 1;
		this.#actFault();
	}

	/** Text frames of the caller; what is binary is left out. */
	onText(listener: (text: string) => void): void {
		this.socket.on('message', (data, isBinary) => {
			if (!isBinary) listener(data.toString());
		});
	}

	onClose(listener: () => void): void {
		this.socket.once('close', listener);
	}

	/** The TCP connection ends at once, with no closing handshake. */
	destroy(): void {
		this.socket.terminate();
	}

	#actFault(): void {
		const fault = this.#fault;
		if (fault === undefined || this.framesSent < (fault.afterFrames ?? 0)) return;
		this.#fault = undefined;
		switch (fault.kind) {
			case 'lost_socket':
				// What was sent before still arrives.
				this.#silent = true;
				this.tcp.destroySoon();
				return;
			case 'silent_socket':
				return this.#fallSilent();
			case 'garbage_socket':
				for (const frame of GARBAGE) this.send(frame);
				return;
			case 'oversized_frame':
				return this.send(oversized(fault.bytes));
		}
	}

	/** Half-open: TCP stays, but nobody listens any more, so pings and closing handshakes get no answer either. */
	#fallSilent(): void {
		this.#silent = true;
		this.tcp.removeAllListeners('data');
		this.tcp.resume();
	}
}
