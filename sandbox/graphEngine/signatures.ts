import { createHash, randomUUID } from 'node:crypto';
import { writeJson } from '../exactJson';
import { classOf } from './executionOrder';
import { isLink } from './literals';
import { inputSpec } from './nodeClass';
import type { ApiGraphNode, EngineRun } from './types';

/**
 * What each node's result depends on: its class, its own values, the content of the files it names and, through its
 * links, the same of every node before it. A file that cannot be read makes a signature that never comes again.
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
