/** The WebSockets of an engine, one for each client id. */
import { randomUUID } from 'node:crypto';
import { isRecord, parseObject } from '../json';
import type { SocketConnection } from '../socket/connections';
import { textFrame } from '../socket/runFrames';

interface Client {
	connection: SocketConnection;
	/** The features that the client announced. */
	features: Record<string, unknown>;
}

export class EngineClients {
	readonly #clients = new Map<string, Client>();

	/** @param ownFeatures the features of the engine. */
	constructor(private readonly ownFeatures: () => Record<string, unknown>) {}

	/**
	 * Adds a connection and returns its id. An earlier connection with the same id stays open, but receives nothing. When it
	 * closes, the engine forgets the id, so that the newer connection receives nothing either.
	 */
	open(connection: SocketConnection): string {
		const id = connection.clientId === null || connection.clientId === '' ? randomUUID().replaceAll('-', '') : connection.clientId;
		const client: Client = { connection, features: {} };
		this.#clients.set(id, client);
		connection.onClose(() => this.#clients.delete(id));
		connection.onText((text) => {
			const features = announcedFeatures(text);
			if (features === undefined) return;
			client.features = features;
			connection.send(textFrame('feature_flags', this.ownFeatures()));
		});
		return id;
	}

	/** Sends to one client, if it is connected. */
	send(id: string | undefined, frame: string | Uint8Array): void {
		if (id !== undefined) this.#clients.get(id)?.connection.send(frame);
	}

	broadcast(frame: string): void {
		for (const { connection } of this.#clients.values()) connection.send(frame);
	}

	supports(id: string | undefined, feature: string): boolean {
		return id !== undefined && this.#clients.get(id)?.features[feature] === true;
	}
}

/** @returns undefined if the text is not a frame of feature flags. Engines ignore other frames. */
function announcedFeatures(text: string): Record<string, unknown> | undefined {
	const frame = parseObject(text);
	if (frame?.type !== 'feature_flags') return undefined;
	return isRecord(frame.data) ? frame.data : {};
}
