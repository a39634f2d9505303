import type { Socket } from 'node:net';

/** What has come on a socket, read in pieces. The socket is always read, so that its end is always noticed. */
export class ByteReader {
	private bytes: Buffer = Buffer.alloc(0);
	private hasEnded = false;
	private wake: () => void = () => undefined;
	private readonly onData = (chunk: Buffer): void => {
		this.bytes = Buffer.concat([this.bytes, chunk]);
		this.wake();
	};

	constructor(private readonly socket: Socket) {
		const end = (): void => {
			this.hasEnded = true;
			this.wake();
		};
		socket.on('data', this.onData).on('end', end).on('close', end).on('error', end);
	}

	/** @returns up to this many bytes, at least one; undefined at the end. */
	async some(most: number): Promise<Buffer | undefined> {
		return (await this.has(() => this.bytes.length > 0)) ? this.take(Math.min(most, this.bytes.length)) : undefined;
	}

	/** @returns everything up to and with the marker; undefined where the end comes first. */
	async until(marker: string): Promise<Buffer | undefined> {
		return (await this.has(() => this.bytes.includes(marker))) ? this.take(this.bytes.indexOf(marker) + marker.length) : undefined;
	}

	async hasSome(): Promise<boolean> {
		return await this.has(() => this.bytes.length > 0);
	}

	/** @returns undefined where nothing comes. */
	async beginsWith(pattern: RegExp): Promise<boolean | undefined> {
		return (await this.hasSome()) ? pattern.test(this.bytes.subarray(0, 16).toString('latin1')) : undefined;
	}

	/** Leaves the socket to somebody else. @returns what has come and was not taken. */
	leave(): Buffer {
		this.socket.off('data', this.onData).pause();
		return this.take(this.bytes.length);
	}

	private async has(isThere: () => boolean): Promise<boolean> {
		while (!isThere()) {
			if (this.hasEnded) return false;
			await new Promise<void>((resolve) => (this.wake = resolve));
		}
		return true;
	}

	private take(count: number): Buffer {
		const taken = this.bytes.subarray(0, count);
		this.bytes = this.bytes.subarray(count);
		return taken;
	}
}
