import sharp from 'sharp';
import {
	createGraphEngine,
	type ApiGraph,
	type EngineEvent,
	type EngineOutput,
	type EngineResult,
	type GraphEngine,
} from '../../../sandbox/graphEngine';

export interface Delivered extends Omit<EngineOutput, 'bytes'> {
	bytes: Buffer;
}

export interface Ran {
	result: EngineResult;
	outputs: Delivered[];
	events: EngineEvent[];
}

export interface RunOptions {
	engine?: GraphEngine;
	files?: Record<string, Buffer>;
	signal?: AbortSignal;
	onEvent?: (event: EngineEvent) => void;
}

/** Runs a graph to its end and keeps everything the engine said and wrote. */
export async function run(graph: ApiGraph, options: RunOptions = {}): Promise<Ran> {
	const outputs: Delivered[] = [];
	const events: EngineEvent[] = [];
	const result = await (options.engine ?? createGraphEngine()).run({
		graph,
		signal: options.signal ?? new AbortController().signal,
		readInput: async (reference) => {
			const bytes = options.files?.[String(reference)];
			if (!bytes) throw Object.assign(new Error(`No such file: ${String(reference)}`), { name: 'FileNotFoundError' });
			return bytes;
		},
		writeOutput: async ({ bytes, ...output }) => {
			const chunks: Uint8Array[] = [];
			if (bytes instanceof Uint8Array) chunks.push(bytes);
			else for await (const chunk of bytes) chunks.push(chunk);
			outputs.push({ ...output, bytes: Buffer.concat(chunks) });
		},
		onEvent: (event) => {
			events.push(event);
			options.onEvent?.(event);
		},
	});
	return { result, outputs, events };
}

export const node = (class_type: string, inputs: Record<string, unknown> = {}) => ({ class_type, inputs });

export const save = (from: string, prefix = 'out') => node('SaveImage', { images: [from, 0], filename_prefix: prefix });

export const solid = (width: number, height: number, color: number, batch_size = 1) =>
	node('EmptyImage', { width, height, batch_size, color });

export interface Pixels {
	width: number;
	height: number;
	rgb: number[];
}

export async function pixelsOf(png: Buffer): Promise<Pixels> {
	const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
	return { width: info.width, height: info.height, rgb: [...data] };
}

export const pngOf = async (width: number, height: number, channels: 3 | 4, data: number[]): Promise<Buffer> =>
	await sharp(Buffer.from(data), { raw: { width, height, channels } }).png().toBuffer();

export const executedIds = ({ events }: Ran): string[] => events.flatMap((event) => (event.kind === 'executed' ? [event.nodeId] : []));
