/** The WebSockets of an engine, one for each client id. */
import { randomUUID } from 'node:crypto';
import type { SocketConnection } from '../socket/connections';

export class EngineClients {
	readonly #clients = new Map<string, SocketConnection>();

	/**
	 * Adds a connection and returns its id. An earlier connection with the same id stays open, but receives nothing. When it
	 * closes, the engine forgets the id, so that the newer connection receives nothing either.
	 */
	open(connection: SocketConnection): string {
		const id = connection.clientId === null || connection.clientId === '' ? randomUUID().replaceAll('-', '') : connection.clientId;
		this.#clients.set(id, connection);
		connection.onClose(() => this.#clients.delete(id));
		return id;
	}

	/** Sends to one client, if it is connected. */
	send(id: string | undefined, frame: string | Uint8Array): void {
		if (id !== undefined) this.#clients.get(id)?.send(frame);
	}

	broadcast(frame: string): void {
		for (const connection of this.#clients.values()) connection.send(frame);
	}
}
