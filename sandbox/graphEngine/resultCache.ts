/** Results of earlier runs, found again by a signature of everything they depend on. */
import { createHash, randomUUID } from 'node:crypto';
import { writeJson } from '../json';
import type { Value } from './values';
import { classOf, isLink } from './readGraph';
import { inputSpec } from './nodeClass';
import type { ApiGraphNode, EngineRun } from './types';

/** A cached image of 512 x 512 pixels has 768 KiB. */
const MOST_ENTRIES = 128;

/** Results of earlier runs by signature. The least recently used ones are removed first. */
export class ResultCache {
	readonly #entries = new Map<string, Value[]>();

	get(signature: string): Value[] | undefined {
		const values = this.#entries.get(signature);
		if (values !== undefined) this.set(signature, values);
		return values;
	}

	set(signature: string, values: Value[]): void {
		this.#entries.delete(signature);
		this.#entries.set(signature, values);
		const [oldest] = this.#entries.keys();
		if (oldest !== undefined && this.#entries.size > MOST_ENTRIES) this.#entries.delete(oldest);
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
