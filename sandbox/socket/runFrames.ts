/** The frames that ComfyUI sends about one run. */
import type { ApiGraph, EngineError, EngineEvent } from '../graphEngine/types';

export interface OutputFile {
	filename: string;
	subfolder: string;
	type: string;
}

/** A text output is the text itself. */
export type OutputItem = OutputFile | string;

/** Result key, for example `images`, → files; `animated` → whether they move; other keys → values. */
export type NodeOutputs = Record<string, unknown[]>;

interface RunFramesOptions {
	promptId: string;
	graph: ApiGraph;
	/** Binary type 4 or type 1. Called for every preview. */
	previews: 'metadata' | 'plain';
	send(frame: string | Buffer): void;
	/** Called before the last frame of a run, after the frame about its result. */
	onEnd?(): void;
}

interface NodeProgress {
	value: number;
	max: number;
	state: 'running' | 'finished';
}

export class RunFrames {
	/** Only nodes that have started. Engines report no others, so that the total is unknown. */
	readonly #progress = new Map<string, NodeProgress>();
	readonly #outputs = new Map<string, NodeOutputs>();
	readonly #executed: string[] = [];
	#current: string | null = null;

	constructor(private readonly options: RunFramesOptions) {}

	start(): void {
		this.#send('execution_start', { timestamp: Date.now() });
	}

	addEvent(event: EngineEvent): void {
		switch (event.kind) {
			case 'cached':
				return this.#send('execution_cached', { nodes: event.nodeIds, timestamp: Date.now() });
			case 'executing':
				this.#sendCachedOutputs();
				this.#current = event.nodeId;
				this.#setProgress(event.nodeId, { value: 0, max: 1, state: 'running' });
				return this.#send('executing', { node: event.nodeId, display_node: event.nodeId });
			case 'progress':
				this.#send('progress', { value: event.value, max: event.max, node: event.nodeId });
				return this.#setProgress(event.nodeId, { value: event.value, max: event.max, state: 'running' });
			case 'preview':
				return this.options.send(this.#preview(event));
			case 'text':
				return this.options.send(nodeTextFrame(event.nodeId, event.text));
			case 'results':
				return this.#addResults(event.nodeId, event.results);
			case 'executed': {
				const max = this.#progress.get(event.nodeId)?.max ?? 1;
				this.#sendOutputs(event.nodeId);
				this.#executed.push(event.nodeId);
				this.#current = null;
				return this.#setProgress(event.nodeId, { value: max, max, state: 'finished' });
			}
		}
	}

	/** Adds an output of a node. It is sent with all others when the node has ended. */
	addOutput(nodeId: string, key: string, item: OutputItem): void {
		const outputs = this.#outputs.get(nodeId) ?? {};
		(outputs[key] ??= []).push(item);
		this.#outputs.set(nodeId, outputs);
	}

	#addResults(nodeId: string, results: Record<string, unknown[]>): void {
		this.#outputs.set(nodeId, { ...this.#outputs.get(nodeId), ...results });
	}

	/** Marks the output of a node as animated. */
	markAnimated(nodeId: string): void {
		this.#outputs.set(nodeId, { ...this.#outputs.get(nodeId), animated: [true] });
	}

	succeed(): void {
		this.#sendCachedOutputs();
		this.#send('execution_success', { timestamp: Date.now() });
		this.#sendEnd();
	}

	fail(error: EngineError): void {
		this.#send('execution_error', {
			node_id: error.node_id,
			node_type: error.class_type,
			exception_type: error.exception_type,
			exception_message: error.message,
			traceback: error.traceback,
			executed: this.#executed,
			timestamp: Date.now(),
		});
		this.#sendEnd();
	}

	interrupt(): void {
		const node = this.#current;
		this.#send('execution_interrupted', {
			node_id: node,
			node_type: node === null ? null : (this.options.graph[node]?.class_type ?? null),
			executed: this.#executed,
			timestamp: Date.now(),
		});
		this.#sendEnd();
	}

	#sendEnd(): void {
		this.options.onEnd?.();
		this.#send('executing', { node: null });
	}

	/** Cached output nodes deliver their files without executing. */
	#sendCachedOutputs(): void {
		for (const nodeId of [...this.#outputs.keys()]) this.#sendOutputs(nodeId);
	}

	#sendOutputs(nodeId: string): void {
		const output = this.#outputs.get(nodeId);
		if (output === undefined) return;
		this.#outputs.delete(nodeId);
		this.#send('executed', { node: nodeId, display_node: nodeId, output });
	}

	#setProgress(nodeId: string, progress: NodeProgress): void {
		this.#progress.set(nodeId, progress);
		const nodes = [...this.#progress].map(([id, moved]) => [
			id,
			{ ...moved, node_id: id, prompt_id: this.options.promptId, ...namesOf(id) },
		]);
		this.#send('progress_state', { nodes: Object.fromEntries(nodes) as Record<string, unknown> });
	}

	#preview({ nodeId, contentType, data }: Extract<EngineEvent, { kind: 'preview' }>): Buffer {
		if (this.options.previews === 'plain') return previewFrame(data);
		return previewWithMetadataFrame(
			{ node_id: nodeId, prompt_id: this.options.promptId, ...namesOf(nodeId), image_type: contentType },
			data,
		);
	}

	#send(type: string, data: Record<string, unknown>): void {
		this.options.send(textFrame(type, { ...data, prompt_id: this.options.promptId }));
	}
}

/** The sandbox has no display nodes and no subgraphs. */
const namesOf = (nodeId: string) => ({ display_node_id: nodeId, parent_node_id: null, real_node_id: nodeId });

const PREVIEW_IMAGE = 1;
const TEXT = 3;
const PREVIEW_IMAGE_WITH_METADATA = 4;

const JPEG = 1;

interface PreviewMetadata {
	node_id: string;
	display_node_id: string;
	real_node_id: string;
	prompt_id: string;
	parent_node_id: string | null;
	/** Engines add the MIME type. */
	image_type?: string;
}

export const textFrame = (type: string, data: Record<string, unknown>): string => JSON.stringify({ type, data });

/** Binary type 1: type, image type, image. */
const previewFrame = (image: Uint8Array): Buffer => Buffer.concat([uint32(PREVIEW_IMAGE), uint32(JPEG), image]);

/** Binary type 3: type, length of the node id, node id, text. */
const nodeTextFrame = (nodeId: string, text: string): Buffer =>
	Buffer.concat([uint32(TEXT), lengthPrefixed(nodeId), Buffer.from(text, 'utf8')]);

/** Binary type 4: type, length of the metadata, metadata as JSON, image. */
const previewWithMetadataFrame = (metadata: PreviewMetadata, image: Uint8Array): Buffer =>
	Buffer.concat([uint32(PREVIEW_IMAGE_WITH_METADATA), lengthPrefixed(JSON.stringify(metadata)), image]);

function uint32(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

/** A text after its length in bytes. */
function lengthPrefixed(text: string): Buffer {
	const bytes = Buffer.from(text, 'utf8');
	return Buffer.concat([uint32(bytes.byteLength), bytes]);
}
