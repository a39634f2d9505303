import { randomUUID } from 'node:crypto';

/**
 * The id by which an engine knows our socket: the open one, or else the next one. No two sockets have the same id. If
 * an engine noticed late that an older socket is gone, it would also forget a newer one with the same id and send it
 * nothing more.
 */
export class ClientId {
	private id = randomUUID();
	private isUsed = false;

	/** The id for submissions, so that the socket receives the events of their jobs. */
	get current(): string {
		return this.id;
	}

	/** Returns the id for a new socket. */
	take(): string {
		if (this.isUsed) this.renew();
		this.isUsed = true;
		return this.id;
	}

	/** The socket with this id has closed. */
	release(id: string): void {
		if (id === this.id) this.renew();
	}

	private renew(): void {
		this.id = randomUUID();
		this.isUsed = false;
	}
}
