/** The WebSockets of an engine, one for each client id. */
import { randomUUID } from 'node:crypto';
import type { SocketConnection } from '../socket/connections';
import { textFrame } from '../socket/runFrames';

interface Client {
	connection: SocketConnection;
	/** What it said that it can do. */
	features: Record<string, unknown>;
}

export class EngineClients {
	readonly #clients = new Map<string, Client>();

	/** @param ownFeatures what the engine can do. */
	constructor(private readonly ownFeatures: () => Record<string, unknown>) {}

	/**
	 * Takes a connection in and returns its id. One of the same id is forgotten: it stays open, but hears nothing more, and when
	 * it closes, the id goes, so that the newer one hears nothing more either.
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

	/** To one client, if it is there. */
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

/** Undefined for whatever is no frame of feature flags: engines pass over it. */
function announcedFeatures(text: string): Record<string, unknown> | undefined {
	try {
		const frame = JSON.parse(text) as { type?: unknown; data?: unknown } | null;
		if (frame?.type !== 'feature_flags') return undefined;
		return typeof frame.data === 'object' ? { ...frame.data } : {};
	} catch {
		return undefined;
	}
}
