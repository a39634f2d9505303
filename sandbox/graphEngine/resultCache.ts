/** Results of earlier runs, found again by a signature of everything they depend on. */
import { createHash, randomUUID } from 'node:crypto';
import { writeJson } from '../json';
import { bytesHeld, type Value } from './values';
import { classOf, isLink } from './readGraph';
import { inputSpec } from './nodeClass';
import type { ApiGraphNode, EngineRun } from './types';

/** Added for each entry, so that the number of empty results is limited too. */
const ENTRY_COST_BYTES = 1024;

/** Results of earlier runs by signature. The least recently used ones are removed first. */
export class ResultCache {
	private readonly entries = new Map<string, { values: Value[]; cost: number }>();
	private held = 0;

	constructor(private readonly limitBytes: number) {}

	get(signature: string): Value[] | undefined {
		const entry = this.entries.get(signature);
		if (!entry) return undefined;
		this.entries.delete(signature);
		this.entries.set(signature, entry);
		return entry.values;
	}

	set(signature: string, values: Value[]): void {
		const cost = values.reduce((sum, value) => sum + bytesHeld(value), ENTRY_COST_BYTES);
		this.remove(signature);
		if (cost > this.limitBytes) return;
		this.entries.set(signature, { values, cost });
		this.held += cost;
		for (const oldest of this.entries.keys()) {
			if (this.held <= this.limitBytes) break;
			this.remove(oldest);
		}
	}

	private remove(signature: string): void {
		this.held -= this.entries.get(signature)?.cost ?? 0;
		this.entries.delete(signature);
	}
}

/**
 * A hash of everything that the result of a node depends on: its class, its values, the content of its files, and the
 * signatures of the nodes before it. For a file that cannot be read, the signature is random.
 */
export async function signaturesOf(run: EngineRun, order: string[]): Promise<Map<string, string>> {
	const signatures = new Map<string, string>();
	for (const id of order) {
		run.signal.throwIfAborted();
		signatures.set(id, await signatureOf(run, id, run.graph[id] as ApiGraphNode, signatures));
	}
	return signatures;
}

async function signatureOf(run: EngineRun, id: string, node: ApiGraphNode, earlier: Map<string, string>): Promise<string> {
	const nodeClass = classOf(run.graph, id);
	const parts: unknown[] = [node.class_type];
	for (const name of Object.keys(node.inputs).sort()) {
		const value = node.inputs[name];
		if (isLink(value)) parts.push([name, 'link', earlier.get(value[0]), value[1]]);
		else if (nodeClass && inputSpec(nodeClass, name)?.type === 'FILE') parts.push([name, 'file', await fileSignature(run, value)]);
		else parts.push([name, 'value', value]);
	}
	return createHash('sha256').update(writeJson(parts)).digest('hex');
}

async function fileSignature(run: EngineRun, reference: unknown): Promise<string> {
	try {
		return createHash('sha256')
			.update(await run.readInput(reference))
			.digest('hex');
	} catch {
		return randomUUID();
	}
}
