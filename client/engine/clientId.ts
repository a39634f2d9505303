import { randomUUID } from 'node:crypto';

/**
 * By which id an engine knows our socket: of the one that is open, else of the next. No two sockets have the same: an
 * engine that notices late that an older one is gone would forget the newer one too, and tell it nothing more.
 */
export class ClientId {
	private id = randomUUID();
	private isTaken = false;

	/** What submissions name, so that the socket hears of their jobs. */
	get current(): string {
		return this.id;
	}

	/** For a new socket. */
	take(): string {
		if (this.isTaken) this.renew();
		this.isTaken = true;
		return this.id;
	}

	/** The socket with this id is gone. */
	release(id: string): void {
		if (id === this.id) this.renew();
	}

	private renew(): void {
		this.id = randomUUID();
		this.isTaken = false;
	}
}
