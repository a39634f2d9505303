import { once } from 'node:events';
import WebSocket from 'ws';
import { binaryProblems, readBinary, textProblems, type BinaryFrame, type TextFrame } from './frames';

/** Everything one WebSocket received, in order. */
export class Listener {
	readonly texts: TextFrame[] = [];
	readonly binaries: BinaryFrame[] = [];
	/** Every way in which a frame deviated from the contract. */
	readonly problems: string[] = [];
	readonly closed: Promise<void>;
	#wake = (): void => undefined;

	private constructor(readonly socket: WebSocket) {
		this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
		socket.on('message', (data: Buffer, isBinary) => {
			if (isBinary) this.binaries.push(readBinary(data));
			else this.texts.push(JSON.parse(data.toString('utf8')) as TextFrame);
			this.problems.push(...(isBinary ? binaryProblems(data) : textProblems(data.toString('utf8'))));
			this.#wake();
		});
	}

	/** @throws Error of `ws`, e.g. `Unexpected server response: 401`. */
	static async open(url: string): Promise<Listener> {
		const listener = new Listener(new WebSocket(url.replace(/^http/, 'ws')));
		await once(listener.socket, 'open');
		return listener;
	}

	/** Frames of a type; of one job, where one is named. */
	of(type: string, jobId?: string): TextFrame[] {
		return this.texts.filter((frame) => frame.type === type && (jobId === undefined || frame.data.prompt_id === jobId));
	}

	/** Waits for what is true of the frames received. */
	async until<Found>(find: () => Found | undefined): Promise<Found> {
		for (;;) {
			const found = find();
			if (found !== undefined) return found;
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
	}

	async next(type: string, jobId?: string): Promise<TextFrame> {
		return await this.until(() => this.of(type, jobId)[0]);
	}

	/** Until nothing more comes about a job. */
	async ended(jobId: string): Promise<void> {
		await this.until(() => this.of('executing', jobId).find(({ data }) => data.node === null));
	}

	async close(): Promise<void> {
		this.socket.close();
		await this.closed;
	}
}
