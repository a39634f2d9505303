/** A WebSocket whose frames are read by the layouts of the specification and held against contract/v1.yaml. */
import { once } from 'node:events';
import WebSocket from 'ws';
import { Contract } from './contract';

const v1 = new Contract('v1.yaml');

interface TextFrame {
	type: string;
	data: Record<string, unknown>;
}

interface BinaryFrame {
	code: number;
	/** Of type 1. */
	imageType?: number;
	/** Of type 3. */
	nodeId?: string;
	/** Of type 4. */
	metadata?: Record<string, unknown>;
	/** What comes last: image or text. */
	rest: Buffer;
}

/** What is wrong with a text frame by the contract; empty when nothing is. */
function textProblems(text: string): string[] {
	const frame = JSON.parse(text) as Partial<TextFrame>;
	const schema = `${(frame.type ?? '').replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Frame`;
	const problems = v1.schemaProblems(schema, frame) ?? ['the type is not documented'];
	return problems.map((problem) => `${frame.type ?? 'no type'}: ${problem}`);
}

/** What is wrong with a binary frame; empty when nothing is. */
function binaryProblems(bytes: Buffer): string[] {
	const { code, imageType, metadata, rest } = readBinary(bytes);
	if (code === 3) return [];
	const isImage = isJpeg(rest) || rest.subarray(0, 4).equals(PNG);
	return [
		...([1, 4].includes(code) ? [] : [`binary type ${code} is not documented`]),
		...(isImage ? [] : ['neither JPEG nor PNG']),
		...(code === 1 && imageType !== (isJpeg(rest) ? 1 : 2) ? [`image type ${imageType} tells the wrong format`] : []),
		...(code === 4 ? (v1.schemaProblems('PreviewMetadata', metadata) ?? []) : []),
	].map((problem) => `binary ${code}: ${problem}`);
}

const JPEG = Buffer.from([0xff, 0xd8]);
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

const isJpeg = (image: Buffer): boolean => image.subarray(0, 2).equals(JPEG);

/** @throws RangeError when the frame ends too early. */
function readBinary(bytes: Buffer): BinaryFrame {
	const code = bytes.readUInt32BE(0);
	const second = bytes.readUInt32BE(4);
	if (code === 1) return { code, imageType: second, rest: bytes.subarray(8) };
	const first = bytes.subarray(8, 8 + second).toString('utf8');
	const rest = bytes.subarray(8 + second);
	return code === 4 ? { code, metadata: JSON.parse(first) as Record<string, unknown>, rest } : { code, nodeId: first, rest };
}

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
