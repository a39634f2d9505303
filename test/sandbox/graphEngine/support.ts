import sharp from 'sharp';
import { createGraphEngine, type ApiGraph, type EngineEvent, type EngineResult, type GraphEngine } from '../../../sandbox/graphEngine';

export interface Ran {
	result: EngineResult;
	outputs: Array<{ name: string; kind: string; bytes: Buffer }>;
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
	const { engine = createGraphEngine(), files = {}, signal = new AbortController().signal } = options;
	const ran: Omit<Ran, 'result'> = { outputs: [], events: [] };
	const result = await engine.run({
		graph,
		signal,
		readInput: async (reference) => {
			const bytes = files[String(reference)];
			if (!bytes) throw Object.assign(new Error(`No such file: ${String(reference)}`), { name: 'FileNotFoundError' });
			return await Promise.resolve(bytes);
		},
		writeOutput: async ({ name, kind, bytes }) => {
			const chunks: Uint8Array[] = [];
			if (bytes instanceof Uint8Array) chunks.push(bytes);
			else for await (const chunk of bytes) chunks.push(chunk);
			ran.outputs.push({ name, kind, bytes: Buffer.concat(chunks) });
		},
		onEvent: (event) => {
			ran.events.push(event);
			options.onEvent?.(event);
		},
	});
	return { result, ...ran };
}

export const node = (class_type: string, inputs: Record<string, unknown> = {}) => ({ class_type, inputs });

export const save = (from: string, prefix = 'out') => node('SaveImage', { images: [from, 0], filename_prefix: prefix });

export const solid = (color: number) => node('EmptyImage', { width: 1, height: 1, batch_size: 1, color });

export const pixelsOf = async (png: Buffer): Promise<number[]> => [...(await sharp(png).removeAlpha().raw().toBuffer())];

export const executedIds = ({ events }: Ran): string[] => events.flatMap((event) => (event.kind === 'executed' ? [event.nodeId] : []));
