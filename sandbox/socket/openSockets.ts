import type { OpenSocket } from '../types';
import type { Surface } from '../vocabulary';
import type { SocketConnection } from './socketConnection';

/** The WebSockets open at this moment, on all surfaces. */
export class OpenSockets {
	readonly #connections = new Set<SocketConnection>();

	add(connection: SocketConnection): void {
		this.#connections.add(connection);
		connection.onClose(() => this.#connections.delete(connection));
	}

	/** Oldest first; of all surfaces unless one is named. */
	on(surface?: Surface): SocketConnection[] {
		return [...this.#connections].filter((connection) => surface === undefined || connection.surface === surface);
	}

	/** Copies for whoever looks from outside. */
	list(surface?: Surface): OpenSocket[] {
		return this.on(surface).map(({ surface: place, clientId, account, openedAt, framesSent }) => ({
			surface: place,
			clientId,
			account,
			openedAt,
			framesSent,
		}));
	}

	drop(surface?: Surface): void {
		for (const connection of this.on(surface)) connection.destroy();
	}

	send(frame: string | Uint8Array, surface?: Surface): void {
		for (const connection of this.on(surface)) connection.send(frame);
	}
}
